/** The action and the templates for CI servers: valid, and their steps do what they say. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { validateAction, validateWorkflow } from "@action-validator/core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { reportSchema } from "../../report/model.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const text = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

const step = z.object({
  id: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  runs: z.object({ steps: z.array(step) }),
});
const gitlab = z.object({
  ".plumbline-gate": z.object({
    script: z.array(z.string()),
    artifacts: z.object({ reports: z.object({ junit: z.string() }) }),
  }),
});

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
  return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    encoding: "utf8",
    env: { PATH, HOME, K6_BIN, GITHUB_OUTPUT, ...declared },
  });
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

  it("runs the gate, keeps its code for the end, and records the run", async () => {
    await using folder = await temporaryFolder();
    const REPORT = path.join(folder.path, "a report; echo $HOME");
    const GITHUB_OUTPUT = path.join(folder.path, "output");
    const common = { ACTION_PATH: ROOT, REPORT, GITHUB_OUTPUT, PROFILE: "quick" };
    const BASELINE = path.join(folder.path, "baseline.json");
    const gate = runStep("gate", {
      ...common,
      BASELINE,
      ONLY: "auth.header-case",
      STRICT: "false",
    });
    expect(gate.status, gate.stderr).toBe(0);
    expect(await readFile(GITHUB_OUTPUT, "utf8")).toBe("exit-code=0\n");
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

describe("templates", () => {
  it("has a valid workflow of its own", () => {
    expect(validateWorkflow(text(".github/workflows/gate.yml")).errors).toEqual([]);
  });

  it("has a GitLab job whose script calls the command as it is, and keeps the report", () => {
    const job = gitlab.parse(parse(text("deploy/gitlab/plumbline.gitlab-ci.yml")))[
      ".plumbline-gate"
    ];
    const calls = job.script.filter((line) => line.startsWith("npx plumbline"));
    expect(calls.map((line) => line.split(" ").slice(2, 4))).toEqual([
      ["gate", "--target"],
      ["baseline", "record"],
    ]);
    expect(job.artifacts.reports.junit).toBe("plumbline-report/junit.xml");
  });
});
