/** The action and the templates for CI servers: valid, and their steps do what they say. */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { validateAction, validateWorkflow } from "@action-validator/core";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

import { reportSchema } from "../../report/model.ts";
import { ROOT } from "../../runner/package-root.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";

const text = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const step = z.object({
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.object({ key: z.string().optional() }).optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  runs: z.object({ steps: z.array(step) }),
});
const gitlabJob = z.object({
  script: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
  artifacts: z.object({ reports: z.object({ junit: z.string() }) }),
});
const component = z.object({
  spec: z.object({
    inputs: z.record(
      z.string(),
      z.object({
        description: z.string(),
        default: z.union([z.string(), z.boolean()]),
        type: z.enum(["string", "boolean"]).default("string"),
        options: z.array(z.string()).optional(),
      }),
    ),
  }),
});

/** The job that GitLab makes of the component, with these inputs in place of their defaults. */
function componentJob(given: Readonly<Record<string, string>> = {}) {
  const template = text("deploy/gitlab/templates/gate.yml");
  const [head = "", body = ""] = template.split(/^---$/m);
  const { inputs } = component.parse(parse(head)).spec;
  expect(parseAllDocuments(template)).toHaveLength(2);
  const unknown = Object.keys(given).filter((name) => inputs[name] === undefined);
  expect(unknown).toEqual([]);
  const used = new Set<string>();
  const filled = body.replaceAll(/\$\[\[ inputs\.([a-z]+) \]\]/g, (_, name: string) => {
    used.add(name);
    return given[name] ?? String(inputs[name]?.default);
  });
  expect([...used].sort()).toEqual(Object.keys(inputs).sort());
  const jobs = Object.entries(parse(filled) as Record<string, unknown>);
  return { name: jobs[0]?.[0], job: gitlabJob.parse(jobs[0]?.[1]) };
}

/** Where npm puts the command of an installed package: nothing is fetched where it is missing. */
const COMMAND = "node_modules/.bin/plumbline";

const ACTION = action.parse(parse(text("action.yml")));

function scriptOf(id: string) {
  const found = ACTION.runs.steps.find((each) => each.id === id);
  if (found?.run === undefined) throw new Error(`action.yml has no step "${id}" with a script`);
  return { run: found.run, names: Object.keys(found.env ?? {}) };
}

/** Runs a step as the runner does, with the variables that the step declares and no others. */
function runStep(id: string, values: Readonly<Record<string, string>>) {
  const { run, names } = scriptOf(id);
  const declared = Object.fromEntries(names.map((name) => [name, values[name] ?? ""]));
  const { PATH = "", HOME = "", K6_BIN = "", GITHUB_OUTPUT = "" } = { ...process.env, ...values };
  const { RUNNER_TEMP = "" } = values;
  return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    encoding: "utf8",
    env: { PATH, HOME, K6_BIN, GITHUB_OUTPUT, GITHUB_ACTION_PATH: ROOT, RUNNER_TEMP, ...declared },
  });
}

/** What a step hands on, by name. */
async function outputsOf(id: string, values: Readonly<Record<string, string>>) {
  await using folder = await temporaryFolder();
  const GITHUB_OUTPUT = path.join(folder.path, "output");
  await writeFile(GITHUB_OUTPUT, "");
  const { status, stderr } = runStep(id, { ...values, GITHUB_OUTPUT });
  expect(status, stderr).toBe(0);
  const lines = (await readFile(GITHUB_OUTPUT, "utf8")).split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split("=", 2))) as Record<string, string>;
}

describe("action.yml", () => {
  it("is valid", () => {
    expect(validateAction(text("action.yml")).errors).toEqual([]);
    expect(validateAction(text("action.yml").replace("using: composite", "")).errors).not.toEqual(
      [],
    );
  });

  it("hands inputs to scripts by the environment alone, where nothing is run of them", () => {
    const scripts = ACTION.runs.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
  });

  it("asks the runner's variables for folders: expressions name the host's in containers", () => {
    expect(text("action.yml")).not.toMatch(/github\.(action_path|workspace)|runner\.temp/);
  });

  const NAMED = {
    JOB: "gate",
    MATRIX: "null",
    PROFILE: "quick",
    TARGET: "a.yaml",
    RUNNER_TEMP: "/t",
  };
  const auto = { ...NAMED, ARTIFACT: "auto", BASELINE: "baseline.json" };

  it("has a name of its own for what each job, profile, target and member keeps", async () => {
    const others = [
      {},
      { JOB: "other" },
      { PROFILE: "soak" },
      { TARGET: "b.yaml" },
      { ONLY: "auth" },
      { MATRIX: '{"plan":"pro"}' },
    ];
    const named = await Promise.all(
      others.map((other) => outputsOf("names", { ...auto, ...other })),
    );
    expect(new Set(named.map(({ artifact }) => artifact)).size).toBe(others.length);
    expect(new Set(named.map(({ baseline }) => baseline)).size).toBe(others.length);
    expect(named[0]).toEqual(await outputsOf("names", auto));
    expect(named[0]?.artifact).toMatch(/^plumbline-report-gate-quick-[0-9a-f]{12}$/);
    expect(named[0]).toMatchObject({
      cache: "/t/plumbline-cache",
      k6: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(await outputsOf("names", { ...auto, ARTIFACT: "mine" })).toMatchObject({
      artifact: "mine",
    });
    const keys = ACTION.runs.steps.flatMap((each) => each.with?.key ?? []);
    expect(keys.filter((key) => !key.includes("steps."))).toEqual([]);
  });

  it("keeps k6 from a run that fails, once it is whole and was not there", async () => {
    const { steps } = ACTION.runs;
    const save = steps.findIndex((each) => each.with?.key?.includes("cache-primary-key"));
    expect(steps[save]?.if).toMatch(/^always\(\) && steps\.made\./);
    expect(steps.find(({ id }) => id === "made")?.if).toContain("cache-hit != 'true'");
    // The last step ends with the code of the gate, and what follows a failure is left out.
    expect(save).toBeLessThan(steps.findIndex(({ id }) => id === "record"));
    expect(steps.some((each) => each.uses?.startsWith("actions/cache@"))).toBe(false);
    await using folder = await temporaryFolder();
    const made = path.join(folder.path, "k6/v2");
    expect(await outputsOf("made", { CACHE: folder.path })).toEqual({});
    await mkdir(made, { recursive: true });
    await writeFile(path.join(made, "k6.123.half"), "");
    expect(await outputsOf("made", { CACHE: folder.path })).toEqual({});
    await writeFile(path.join(made, "k6"), "");
    expect(await outputsOf("made", { CACHE: folder.path })).toEqual({ k6: "true" });
  });

  it("runs the gate, keeps its code for the end, and records the run", async () => {
    await using folder = await temporaryFolder();
    const REPORT = path.join(folder.path, "a report; echo $HOME");
    const GITHUB_OUTPUT = path.join(folder.path, "output");
    const common = { REPORT, GITHUB_OUTPUT, PROFILE: "quick" };
    const BASELINE = path.join(folder.path, "baseline.json");
    const gate = runStep("gate", {
      ...common,
      BASELINE,
      ONLY: "auth.header-case",
      STRICT: "false",
    });
    expect(gate.status, gate.stderr).toBe(0);
    const outputs = (await readFile(GITHUB_OUTPUT, "utf8")).split("\n");
    expect(outputs).toEqual(expect.arrayContaining(["exit-code=0", "verdict=pass", "kept=1"]));
    expect(outputs).toEqual(expect.arrayContaining(["broken=0", "broken-promises="]));
    const report = reportSchema.parse(JSON.parse(readFileSync(`${REPORT}/report.json`, "utf8")));
    expect([report.verdict, report.only]).toEqual(["pass", ["auth.header-case"]]);
    // A run without load has no figures: it is left out, and that fails nothing.
    const record = runStep("record", { ...common, BASELINE });
    expect([record.status, existsSync(BASELINE)]).toEqual([0, false]);
    expect(record.stdout).toContain("not added to the baseline");
  });

  it.each([
    ["0", 0],
    ["99", 99],
    ["", 111],
  ])("ends with the code of the gate: %j", (CODE, status) => {
    expect(runStep("verdict", { CODE }).status).toBe(status);
  });
});

describe("what the action uses", () => {
  const files = ["action.yml", ".github/workflows/gate.yml", ".github/workflows/tests.yml"];

  it.each(files)("is pinned by commit, with its version beside it: %s", (file) => {
    const used = text(file).match(/uses: .*/g) ?? [];
    const pinned = /^uses: (\.\/|[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
    expect(used.length).toBeGreaterThan(1);
    expect(used.filter((each) => !pinned.test(each))).toEqual([]);
  });

  it("has k6 fetched, where building it would take minutes", () => {
    const gate = ACTION.runs.steps.find(({ id }) => id === "gate");
    expect(gate?.env?.PLUMBLINE_K6_FROM).toBe("release");
    expect(ACTION.runs.steps.filter(({ uses }) => uses?.includes("setup-go"))).toEqual([]);
  });
});

const workflow = z.object({
  jobs: z.record(z.string(), z.object({ if: z.string().optional(), steps: z.array(step) })),
});

describe("the repository's own workflow", () => {
  it("asks on each event whether a package is known to be unsafe, apart from the tests", () => {
    const { jobs } = workflow.parse(parse(text(".github/workflows/tests.yml")));
    const auditing = Object.entries(jobs).filter(([, { steps }]) => {
      return steps.some(({ run }) => run === "npm audit");
    });
    expect(auditing.map(([name, job]) => [name, job.if])).toEqual([["audit", undefined]]);
    const commands = jobs.audit?.steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(["npm audit"]);
  });

  it("brings a Go that is as new as the pinned tools ask for", () => {
    const minor = (version: string | undefined) => Number(version?.split(".")[1]);
    const needed = readdirSync(path.join(ROOT, "tools"), { withFileTypes: true })
      .map(({ name }) => `tools/${name}/go.mod`)
      .filter((file) => existsSync(path.join(ROOT, file)))
      .map((file) => minor(/^go (\S+)$/m.exec(text(file))?.[1]));
    const given = [...text(".github/workflows/tests.yml").matchAll(/go-version: "(\S+)"/g)];
    expect(given.map(([, version]) => minor(version))).toEqual([
      Math.max(...needed),
      Math.max(...needed),
    ]);
  });
});

describe("templates", () => {
  it.each(["gate.yml", "tests.yml"])("has a valid workflow of its own: %s", (file) => {
    expect(validateWorkflow(text(`.github/workflows/${file}`)).errors).toEqual([]);
  });

  it("has a GitLab component with inputs that all reach the job", () => {
    const inputs = { job: "after-deploy", target: "a.yaml", only: "webhook", strict: "true" };
    const { name, job } = componentJob(inputs);
    expect(name).toBe("after-deploy");
    expect(job.variables).toMatchObject({
      PLUMBLINE_TARGET: "a.yaml",
      PLUMBLINE_ONLY: "webhook",
      PLUMBLINE_STRICT: "true",
    });
  });

  it("has a GitLab job whose script calls the command as it is, and keeps the report", () => {
    const { job } = componentJob();
    const calls = job.script.filter((line) => line.startsWith(`${COMMAND} `));
    expect(calls.map((line) => line.split(" ").slice(1, 3))).toEqual([
      ["gate", "--target"],
      ["baseline", "record"],
    ]);
    expect(job.artifacts.reports.junit).toBe("plumbline-report/junit.xml");
  });

  /** The subcommands that the GitLab job calls, and the code that it ends with. */
  async function gitlabRun(accept: string, gateCode: number, inputs = {}) {
    const { job } = componentJob(inputs);
    await using folder = await temporaryFolder();
    const noted = 'echo "$@" >> words; echo "$1 $2" >> calls';
    const command = `${noted}\nif [ "$1" = gate ]; then exit ${gateCode}; fi\n`;
    await mkdir(path.join(folder.path, path.dirname(COMMAND)), { recursive: true });
    for (const [name, script] of Object.entries({ [COMMAND]: command, npm: "" })) {
      await writeFile(path.join(folder.path, name), `#!/bin/sh\n${script}`, { mode: 0o755 });
    }
    const { status } = spawnSync("sh", ["-e", "-c", job.script.join("\n")], {
      cwd: folder.path,
      env: {
        ...job.variables,
        PATH: `${folder.path}:${process.env.PATH}`,
        PLUMBLINE_BASELINE_ACCEPT: accept,
      },
    });
    const linesOf = async (name: string) =>
      (await readFile(path.join(folder.path, name), "utf8")).split("\n");
    return { status, calls: await linesOf("calls"), words: await linesOf("words") };
  }

  it("asks on GitLab for what the inputs name, and for nothing else", async () => {
    const gate = "gate --target plumbline.yaml --profile standard --report plumbline-report";
    const plain = `${gate} --baseline .plumbline/baseline.json`;
    expect((await gitlabRun("false", 0)).words[0]).toBe(plain);
    const asked = await gitlabRun("false", 0, { only: "webhook,rate", strict: "true" });
    expect(asked.words[0]).toBe(`${plain} --only webhook,rate --strict`);
  });

  it.each([
    ["true", 0, true],
    ["false", 0, false],
    ["true", 99, false],
  ])("accept on GitLab: %s after code %i: %s", async (accept, gateCode, accepted) => {
    const { status, calls } = await gitlabRun(accept, gateCode);
    expect([status, calls.includes("baseline accept")]).toEqual([gateCode, accepted]);
    expect(calls).toContain("baseline record");
  });
});
