/** Comparing as a user does it: real blocks of load, recordings, files, and what is refused. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { SavedBlocks } from "../../capacity/compare/model.ts";
import { comparisonSchema, savedBlocksSchema } from "../../capacity/compare/model.ts";
import { startReference } from "../../reference/service.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The least that can be looked at: eight rounds of four short blocks. */
const SHORT = ["--blocks", "32", "--block", "200ms", "--rate", "30", "--seed", "5"];

describe("compare", () => {
  it("finds a candidate whose answers wait for the run, and ends with 99", async () => {
    await using folder = await temporaryFolder();
    const fault = ["--fault", "submit.asynchronous/waits-for-the-run", "--time-scale", "0.6"];
    const args = ["compare", ...SHORT, ...fault, "--report", folder.path, "--json"];
    const run = await runCli(args);
    expect(run.exitCode, run.stderr).toBe(99);
    const report = comparisonSchema.parse(JSON.parse(run.stdout));
    const slower = report.metrics.find(({ name }) => name === "api.p50");
    expect([report.verdict, slower?.verdict]).toEqual(["worse", "worse"]);
    expect(report.verdictReason).toContain("api.p50");
    expect(report.rounds.every((round) => round.length === 4)).toBe(true);
    const orders = report.rounds.map((round) => round.map(({ side }) => side[0]).join(""));
    expect(new Set(orders)).toEqual(new Set(["bccb", "cbbc"]));
    expect(await readFile(join(folder.path, "comparison.json"), "utf8")).toBe(run.stdout);
    const markdown = await readFile(join(folder.path, "comparison.md"), "utf8");
    expect(markdown).toContain("# Plumbline compare: WORSE");
    const page = await readFile(join(folder.path, "comparison.html"), "utf8");
    expect(page).toMatch(/<svg[\s\S]*api\.p50/);
  });

  it("records blocks, and compares recordings without sending anything", async () => {
    await using folder = await temporaryFolder();
    const before = join(folder.path, "before.json");
    const recorded = await runCli(["compare", "--record", before, ...SHORT]);
    expect(recorded.exitCode, recorded.stderr).toBe(0);
    const saved = savedBlocksSchema.parse(JSON.parse(await readFile(before, "utf8")));
    expect(saved.blocks.length).toBeGreaterThan(15);
    const after = await written(folder.path, "after.json", again(saved, 1, 100));
    const report = ["--report", folder.path];
    const single = await runHere(["compare", "--before", before, "--after", after, ...report]);
    expect(single.exitCode, single.stdout).toBe(111);
    expect(single.stdout).toMatch(/job\.p50 .* \[\+.*can't tell/);
    expect(single.stdout).toMatch(
      /no noise from run to run; expected 5 or more recordings a\s+side/,
    );
    const earlier = await writtenAll(folder.path, "before", saved, 1);
    const later = await writtenAll(folder.path, "after", saved, 100);
    const files = ["compare", "--before", ...earlier, "--after", ...later];
    const run = await runCli([...files, ...report]);
    expect(run.exitCode, run.stderr).toBe(99);
    expect(run.stdout).toMatch(/WORSE: worse in job\.p50/);
    expect(run.stdout).toMatch(/whatever else changed in between counts/);
    const twice = await runHere(["compare", "--before", before, "--after", before]);
    expect(twice.exitCode).toBe(104);
    expect(twice.stderr).toMatch(/is given more than once; expected each once/);
    const other = { ...saved, load: { ...saved.load, jobsPerSecond: 7 } };
    const unlike = await written(folder.path, "unlike.json", other);
    const refused = await runHere(["compare", "--before", before, "--after", unlike]);
    expect(refused.exitCode).toBe(104);
    expect(refused.stderr).toMatch(
      /error \(unlike-runs\): not comparable: rate, jobs\/s: 30 before, 7/,
    );
  });

  it("refuses a target without a budget before it submits anything", async () => {
    await using folder = await temporaryFolder();
    const service = await startReference();
    const yaml = `target: { baseUrl: "${service.baseUrl}" }
keys: [{ name: big, plan: pro, env: THE_KEY }]
workers: { success: { id: echo, input: { text: hi } } }`;
    const file = await folder.write("plumbline.yaml", yaml);
    const environment = { THE_KEY: service.keys[0]?.value ?? "" };
    const sides = ["compare", "--base", file, "--candidate", file, "--report", folder.path];
    const run = await runHere(sides, { environment });
    await service.close();
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/compare needs a budget; expected budget: \{ jobs: \.\.\. \}/);
  });

  it("tells all that is wrong with its options at once", async () => {
    const wrong = [
      "--base",
      "a.yaml",
      "--block",
      "5",
      "--blocks",
      "30",
      "--margin",
      "5",
      "--rate",
      "0",
    ];
    const equal = await runHere(["compare", "--calibrate", "--candidate", "a.yaml"]);
    expect(equal.stderr).toContain("--candidate beside --calibrate is an equal of --base;");
    const run = await runHere(["compare", ...wrong]);
    expect(run.exitCode).toBe(104);
    for (const said of [
      /--base and --candidate belong together; expected both, or neither/,
      /--block: invalid value "5"; expected a duration such as .*, from 0.2 s to 600 s/,
      /--blocks: invalid value "30"; expected a multiple of 4 from 32 to 25600/,
      /--margin: invalid value "5"; expected a share such as "5%"/,
      /--rate: invalid value "0"; expected a number a second above 0 and up to 10000/,
    ]) {
      expect(run.stderr).toMatch(said);
    }
  });

  it.each([
    ["nothing at all", []],
    ["how to load alone", ["--blocks", "32", "--block", "200ms", "--rate", "30"]],
  ])("loads nothing where %s is named, and says what to name", async (_, size) => {
    await using folder = await temporaryFolder();
    const run = await runCli(["compare", ...size], {
      cwd: folder.path,
      onStderr: (text, child) => {
        if (text.includes("blocks:")) child.kill("SIGKILL");
      },
    });
    expect(run.exitCode, run.stderr).toBe(104);
    for (const option of ["--base FILE --candidate FILE", "--before FILES", "--embedded"]) {
      expect(run.stderr).toContain(option);
    }
  });

  it("takes --embedded for two services of its own, and not beside a file", async () => {
    const words = ["--embedded", "--report", "/dev/null/report"];
    const alone = await runHere(["compare", ...words]);
    expect(alone.stderr).toMatch(/^error \(report-directory\b.*\n$/);
    const beside = await runHere([
      "compare",
      ...words,
      "--base",
      "a.yaml",
      "--candidate",
      "b.yaml",
    ]);
    expect(beside.exitCode).toBe(104);
    expect(beside.stderr).toContain(
      "--embedded applies to the embedded service only; it cannot be combined with a target",
    );
  });

  it("refuses a file that is something else", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("x.json", '{"schemaVersion":1}');
    const run = await runHere(["compare", "--before", file, "--after", file]);
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(
      /^error \(invalid-file\): .* more members do not fit; expected blocks of .* --record\n$/,
    );
  });

  it("sends nothing where the recording could not be written", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write("a-file", "");
    const run = await runHere(["compare", "--record", join(file, "blocks.json"), ...SHORT]);
    expect(run.exitCode, run.stderr).toBe(104);
    expect(run.stderr).toMatch(/cannot write ".*blocks.json" \(ENOTDIR\); expected a file in a/);
  });
});

/** The same blocks as another run some days later, its jobs slower by that factor. */
function again(saved: SavedBlocks, days: number, factor: number): SavedBlocks {
  const blocks = saved.blocks.map((block) => {
    const figures = { ...block.figures };
    for (const name of ["job.p50", "job.p95"] as const) {
      const value = figures[name];
      if (value != null) figures[name] = factor * (1 + 0.01 * days) * value;
    }
    return { ...block, figures };
  });
  const startedAt = new Date(Date.parse(saved.startedAt) + days * 86_400_000).toISOString();
  return { ...saved, startedAt, blocks };
}

function writtenAll(folder: string, name: string, saved: SavedBlocks, factor: number) {
  const from = name === "before" ? 1 : 6;
  return Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      written(folder, `${name}-${n}.json`, again(saved, from + n, factor)),
    ),
  );
}

async function written(folder: string, name: string, value: SavedBlocks): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify(value));
  return file;
}
