/** Baselines as a user keeps them: accept, record, and a gate that is held against them. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { Baseline } from "../../capacity/baseline/model.ts";
import { baselineSchema, EMPTY_BASELINE } from "../../capacity/baseline/model.ts";
import { runOf } from "../../capacity/baseline/run-of.ts";
import { openBaseline } from "../../cli/gate/baseline-comparison.ts";
import { buildReport } from "../../report/build-report.ts";
import { reportSchema } from "../../report/model.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "../report/fixtures.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const TIMES = { count: 300, p50: 2, p95: 5, p99: 9 };
const LOAD = {
  asked: 20,
  seconds: 15,
  completed: 290,
  throughput: 19.5,
  requests: 600,
  errors: {},
  submitMs: TIMES,
  queueWaitMs: TIMES,
  lifeMs: {},
};

const HEALTHY_GENERATOR = {
  scheduled: 300,
  dropped: 0,
  lagP99Ms: 3,
  loopDelayP99Ms: 3,
  loopDelayMaxMs: 5,
};

function reportText(difference: Parameters<typeof healthyResult>[0] = {}): string {
  return JSON.stringify(
    buildReport(healthyResult({ measurements: { load: [LOAD] }, ...difference })),
  );
}

async function readBaseline(file: string): Promise<Baseline> {
  return baselineSchema.parse(JSON.parse(await readFile(file, "utf8")));
}

describe("baseline", () => {
  it("records runs, and accepts what was recorded", async () => {
    await using folder = await temporaryFolder();
    const first = await folder.write("first.json", reportText());
    const second = await folder.write("second.json", reportText({ seed: 43 }));
    const file = join(folder.path, "deep/baseline.json");
    const recorded = await runCli(["baseline", "record", first, second, "--baseline", file]);
    expect([recorded.exitCode, recorded.stderr]).toEqual([
      0,
      expect.stringMatching(/0 accepted runs, 2/),
    ]);
    const accepted = await runHere(["baseline", "accept", "--baseline", file, "--json"]);
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect(JSON.parse(accepted.stdout)).toEqual(await readBaseline(file));
    expect((await readBaseline(file)).accepted.map(({ seed }) => seed)).toEqual([42, 43]);
  });

  it("does not replace ten accepted runs by one", async () => {
    await using folder = await temporaryFolder();
    const runs = Array.from({ length: 11 }, (_, at) =>
      runOf(reportSchema.parse(JSON.parse(reportText({ seed: at })))),
    );
    const file = await folder.write(
      "baseline.json",
      JSON.stringify({ ...EMPTY_BASELINE, accepted: runs.slice(0, 10), recent: runs.slice(10) }),
    );
    const refused = await runHere(["baseline", "accept", "--baseline", file]);
    expect(refused.exitCode).toBe(104);
    expect(refused.stderr).toMatch(
      /1 recent runs that passed would replace 10 accepted; expected 10 or more: record further/,
    );
    expect((await readBaseline(file)).accepted).toHaveLength(10);
  });

  it("says which file can't be written", async () => {
    await using folder = await temporaryFolder();
    const report = await folder.write("first.json", reportText());
    const run = await runHere(["baseline", "accept", report, "--baseline", join(report, "x.json")]);
    expect(run.exitCode, run.stderr).toBe(104);
    expect(run.stderr).toMatch(/cannot write ".*x.json" \(ENOTDIR\); expected a file in a/);
  });

  it("accepts only whole runs that passed and measured a load, and names the others", async () => {
    await using folder = await temporaryFolder();
    const findings = findingsWith(BROKEN_WAIT);
    const files = [
      await folder.write("broken.json", reportText({ findings })),
      await folder.write("partial.json", reportText({ interrupted: true })),
      await folder.write("idle.json", reportText({ measurements: {} })),
    ];
    const file = join(folder.path, "baseline.json");
    const run = await runHere(["baseline", "accept", ...files, "--baseline", file]);
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/broken.json": its verdict is "fail"; expected "pass"/);
    expect(run.stderr).toMatch(/partial.json": it was interrupted; expected a whole run/);
    expect(run.stderr).toMatch(/idle.json": it measured no load; expected a load section/);
  });

  it("neither records nor compares a run whose generator was late", async () => {
    await using folder = await temporaryFolder();
    const generator = { ...HEALTHY_GENERATOR, lagP99Ms: 900 };
    const text = reportText({ measurements: { load: [{ ...LOAD, generator }] } });
    const file = await folder.write("late.json", text);
    const run = await runCli(["baseline", "record", file], { cwd: folder.path });
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(
      /late.json": its figures say nothing of the service, as the generator was late by 900 ms/,
    );
    const compare = await openBaseline({ file: join(folder.path, "none.json"), failing: false });
    expect(compare(reportSchema.parse(JSON.parse(text))).measurements.baseline).toMatchObject([
      { text: expect.stringMatching(/^not compared, as the generator was late by 900 ms/) },
    ]);
  });

  it("has nothing to accept of nothing", async () => {
    await using folder = await temporaryFolder();
    const run = await runCli(["baseline", "accept"], { cwd: folder.path });
    expect(run.exitCode).toBe(104);
    expect(run.stderr).toMatch(/holds no recent runs that passed; expected some, or report/);
  });
});

describe("gate --baseline", () => {
  it("says why nothing was compared, annotates, and keeps stdout to the report", async () => {
    await using folder = await temporaryFolder();
    const summary = join(folder.path, "summary");
    const run = await runHere(
      [
        ...["gate", "--only", "auth.header-case", "--fault", "auth.header-case/upper-case-refused"],
        ...["--report", join(folder.path, "report"), "--json"],
        ...["--baseline", join(folder.path, "none.json")],
      ],
      { environment: { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary } },
    );
    expect(run.exitCode, run.stderr).toBe(99);
    expect(run.stderr).toMatch(/baseline: not compared, this run measured no load/);
    expect(run.stderr).toMatch(/^::error title=auth.header-case::"X-API-KEY" is refused/m);
    const [, token = ""] = /^::stop-commands::([0-9a-f]{32})$/m.exec(run.stderr) ?? [];
    expect(run.stderr.indexOf(`::${token}::`)).toBeGreaterThan(run.stderr.indexOf("BROKEN (1)"));
    expect(reportSchema.parse(JSON.parse(run.stdout)).measurements.machine).toHaveLength(1);
    expect(await readFile(summary, "utf8")).toMatch(/^# Plumbline: FAIL/);
  });

  it("asks for a baseline that is there where a regression is to fail", async () => {
    const alone = await runHere(["gate", "--fail-on-regression"]);
    expect(alone.exitCode).toBe(104);
    expect(alone.stderr).toMatch(/nothing to compare with; expected --baseline beside/);
    const absent = await runHere(["gate", "--fail-on-regression", "--baseline", "none.json"]);
    expect(absent.exitCode).toBe(104);
    expect(absent.stderr).toMatch(/there is no "none.json"; expected the file of baseline accept/);
  });
});
