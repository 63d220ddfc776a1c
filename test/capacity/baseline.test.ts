/** Runs against accepted runs: like with like, run by run, and no claim before there are enough. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareWithBaseline } from "../../capacity/baseline/judge.ts";
import type { Baseline, BaselineRun } from "../../capacity/baseline/model.ts";
import { baselineSchema, EMPTY_BASELINE } from "../../capacity/baseline/model.ts";
import { doubtAbout, runOf } from "../../capacity/baseline/run-of.ts";
import {
  lossesByAccepting,
  withAccepted,
  withRecent,
  withRecentAccepted,
} from "../../capacity/baseline/update.ts";
import { holm } from "../../capacity/statistics/holm.ts";
import { rankTest } from "../../capacity/statistics/rank-test.ts";
import { seededUniform } from "../../contract/numbers/random.ts";
import type { Json } from "../../contract/verdict.ts";
import { buildReport } from "../../report/build-report.ts";
import { healthyResult } from "../report/fixtures.ts";

function run(at: number, p95: number, difference: Record<string, string> = {}): BaselineRun {
  return {
    startedAt: new Date(Date.UTC(2026, 0, 1) + at * 86_400_000).toISOString(),
    seed: at,
    verdict: "pass",
    circumstances: { target: "https://api.example.com", cores: "2", ...difference },
    figures: [
      { name: "submit p95", unit: "ms", worse: "higher", value: p95, samples: 1_000 },
      { name: "throughput", unit: "jobs/s", worse: "lower", value: 20, samples: 1_000 },
    ],
  };
}

/** Accepted and recent runs with some per cent of noise; the last recent one is in hand. */
function history(accepted: number, recent: number, factor: number, seed = 1, noise = 0.1) {
  const random = seededUniform(seed);
  const noisy = () => 100 * (1 + noise * (random() - 0.5));
  const old = Array.from({ length: accepted }, (_, at) => run(at, noisy()));
  const fresh = Array.from({ length: recent }, (_, at) => run(100 + at, factor * noisy()));
  const baseline: Baseline = { ...EMPTY_BASELINE, accepted: old, recent: fresh.slice(0, -1) };
  return { baseline, last: fresh.at(-1) ?? run(999, 100) };
}

const TIMES = { count: 300, p50: 2, p95: 5, p99: 9 };
const LOAD = {
  asked: 20,
  seconds: 15,
  completed: 290,
  throughput: 19.5,
  requests: 600,
  errors: { "5xx": 3, "no answer": 0 },
  submitMs: TIMES,
  queueWaitMs: { count: 50, p50: 1, p95: 2, p99: 3 },
  lifeMs: { success: { count: 0 } },
  keys: ["free-a"],
  jobsPerSecond: 5,
  mix: [{ part: "success", weight: 1, worker: "echo" }],
  inputs: "811c9dc5",
  endsToldBy: "webhooks",
};

const CALM = {
  generator: { scheduled: 300, dropped: 0, lagP99Ms: 3, loopDelayP99Ms: 3, loopDelayMaxMs: 5 },
  hostLag: { wholeMs: 5, lastThirdMs: 5, runnablePerCore: 0.5 },
};

function reportWith(load: Json) {
  const machine = { platform: "linux", arch: "x64", processor: "a processor", cores: 2 };
  return buildReport(healthyResult({ measurements: { load: [load], machine: [machine] } }));
}

describe("compareWithBaseline", () => {
  it("finds a figure that got worse, and none that did not", () => {
    const { baseline, last } = history(10, 10, 1.3);
    const found = compareWithBaseline(last, baseline);
    const verdicts = found.kind === "compared" ? found.figures.map(({ verdict }) => verdict) : [];
    expect(verdicts).toEqual(["worse", "no difference found"]);
  });

  it("finds one that got better", () => {
    const { baseline, last } = history(12, 10, 0.7);
    expect(compareWithBaseline(last, baseline)).toMatchObject({
      figures: [{ verdict: "better" }, {}],
    });
  });

  it("does not mind a difference that is clear and small", () => {
    const { baseline, last } = history(30, 30, 1.04, 1, 0.02);
    expect(compareWithBaseline(last, baseline)).toMatchObject({
      figures: [{ verdict: "no difference found" }, {}],
    });
  });

  it("cries wolf in less than one history of a hundred", () => {
    const alarms = Array.from({ length: 300 }, (_, seed) => history(10, 10, 1, seed)).filter(
      ({ baseline, last }) => {
        const found = compareWithBaseline(last, baseline);
        return found.kind === "compared" && found.figures.some((each) => each.verdict === "worse");
      },
    );
    expect(alarms.length).toBeLessThanOrEqual(3);
  });

  it.each([
    [9, 10, "not enough runs: 9 accepted and 10 recent of 10 each"],
    [10, 9, "not enough runs: 10 accepted and 9 recent of 10 each"],
    [0, 10, "no run has been accepted yet"],
  ])("says nothing of %i accepted and %i recent runs", (accepted, recent, reason) => {
    const { baseline, last } = history(accepted, recent, 2);
    expect(compareWithBaseline(last, baseline)).toEqual({ kind: "not compared", reason });
  });

  it("refuses runs under other circumstances, and names the difference", () => {
    const { baseline } = history(10, 10, 1);
    expect(compareWithBaseline(run(200, 100, { cores: "4", k6: "2.2.0" }), baseline)).toEqual({
      kind: "not compared",
      reason:
        "unlike the accepted runs: cores: 2 in the baseline, 4 here; " +
        "k6: not told in the baseline, 2.2.0 here",
    });
  });

  it("compares with the like runs among unlike ones", () => {
    const { baseline, last } = history(10, 10, 1.3);
    const mixed = withAccepted(baseline, [run(50, 10, { cores: "64" })]);
    expect(compareWithBaseline(last, mixed)).toMatchObject({ kind: "compared", accepted: 10 });
  });

  /** A month of runs, of which the last ones are slower or as before by that factor. */
  const verdictAfter = (last: number, [before, since]: readonly [number, number]) => {
    const { baseline } = history(30, 1, 1);
    const recent = Array.from({ length: 30 }, (_, at) => {
      return run(200 + at, 100 * (at < 30 - last ? before : since) + (at % 7));
    });
    const found = compareWithBaseline(recent[29] ?? run(0, 0), { ...baseline, recent });
    return found.kind === "compared" ? found.figures[0]?.verdict : found.reason;
  };

  it("finds a regression within eight runs, and forgets one that is mended as soon", () => {
    expect(verdictAfter(8, [1, 2])).toBe("worse");
    expect(verdictAfter(8, [2, 1])).toBe("no difference found");
    expect(verdictAfter(1, [1, 2])).toBe("no difference found");
  });

  it("counts a run once that has been recorded already", () => {
    const { baseline, last } = history(10, 10, 1);
    const found = compareWithBaseline(last, withRecent(baseline, [last]));
    expect(found).toMatchObject({ recent: 10 });
  });
});

describe("a baseline", () => {
  it("takes a run once, in the order of time, and keeps the last 30 of a kind", () => {
    const runs = Array.from({ length: 40 }, (_, at) => run(39 - at, 100));
    const { accepted } = withAccepted(withAccepted(EMPTY_BASELINE, runs), runs);
    expect(accepted.map(({ seed }) => seed)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 10),
    );
  });

  it("accepts recent runs in place of like ones, and leaves unlike ones alone", () => {
    const old = [run(1, 100), run(2, 100, { cores: "64" })];
    const baseline = withRecent(withAccepted(EMPTY_BASELINE, old), [run(3, 200)]);
    expect(withRecentAccepted(baseline).accepted.map(({ seed }) => seed)).toEqual([2, 3]);
  });

  it("accepts none that failed, and keeps it among the recent ones", () => {
    const failed = { ...run(2, 900), verdict: "fail" as const };
    const baseline = withRecentAccepted(withRecent(EMPTY_BASELINE, [run(1, 100), failed]));
    expect(
      [baseline.accepted, baseline.recent].map((runs) => runs.map(({ seed }) => seed)),
    ).toEqual([[1], [2]]);
  });

  it("knows which accepted runs too few recent ones would replace", () => {
    const { baseline } = history(12, 10, 1);
    expect(lossesByAccepting(baseline)).toEqual([{ accepted: 12, recent: 9 }]);
    expect(lossesByAccepting(withRecent(baseline, [run(300, 100)]))).toEqual([]);
    expect(lossesByAccepting(history(9, 5, 1).baseline)).toEqual([]);
  });

  it("accepts what was recent", () => {
    const baseline = withRecentAccepted(withRecent(EMPTY_BASELINE, [run(1, 100)]));
    expect([baseline.accepted.length, baseline.recent.length]).toEqual([1, 0]);
    expect(baselineSchema.parse(JSON.parse(JSON.stringify(baseline)))).toEqual(baseline);
  });

  it.each([
    ["other keys", { keys: ["pro"] }, "keys: free-a in the baseline, pro here"],
    ["a lower rate", { jobsPerSecond: 2.5 }, "offered: 5 jobs/s in the baseline, 2.5 jobs/s here"],
    [
      "another mix",
      { mix: [{ part: "success", weight: 1, worker: "sleep" }] },
      "mix: success 1 of echo in the baseline, success 1 of sleep here",
    ],
    ["other inputs", { inputs: "00000001" }, "inputs: 811c9dc5 in the baseline, 00000001 here"],
    ["no webhooks", { endsToldBy: "polls" }, "ends told by: webhooks in the baseline, polls here"],
  ])("is not compared with a run with %s", (_name, difference, reason) => {
    const baseline = withAccepted(EMPTY_BASELINE, [runOf(reportWith(LOAD))]);
    const run = runOf(reportWith({ ...LOAD, ...difference }));
    expect(compareWithBaseline(run, baseline)).toEqual({
      kind: "not compared",
      reason: `unlike the accepted runs: ${reason}`,
    });
  });

  it.each([
    ["generator was late", { generator: { ...CALM.generator, lagP99Ms: 900 } }],
    ["generator dropped", { generator: { ...CALM.generator, dropped: 90 } }],
    ["this machine let threads wait", { hostLag: { ...CALM.hostLag, wholeMs: 900 } }],
  ])("takes no figures of a run whose %s", (said, difference) => {
    const calm = reportWith({ ...LOAD, ...CALM });
    expect([doubtAbout(calm), runOf(calm).figures.length]).toEqual([null, 7]);
    const report = reportWith({ ...LOAD, ...CALM, ...difference });
    expect(doubtAbout(report)).toContain(said);
    expect(runOf(report).figures).toEqual([]);
  });

  it("holds figures with their samples, and circumstances, of a report", () => {
    const { figures, circumstances } = runOf(reportWith(LOAD));
    expect(figures.map(({ name, value }) => [name, value])).toEqual([
      ["throughput", 19.5],
      ["errors", 0.005],
      ["submit p50", 2],
      ["submit p95", 5],
      ["submit p99", 9],
      ["queue wait p50", 1],
      ["queue wait p95", 2],
    ]);
    expect(circumstances).toMatchObject({
      target: "http://127.0.0.1:8080",
      load: "20 jobs/s for 15 s",
      offered: "5 jobs/s",
      platform: "linux x64",
      cores: "2",
      node: "24",
    });
  });
});

describe("rankTest", () => {
  it("gives the published probability", () => {
    // Every b above every a, 10 each: 2 of the 184,756 orders are as clear.
    const [a, b] = [0, 10].map((from) => Array.from({ length: 10 }, (_, at) => from + at));
    const { probability, delta, shift } = rankTest(a ?? [], b ?? []);
    expect(probability).toBeCloseTo(2 / 184_756, 12);
    expect([delta, shift]).toEqual([1, 10]);
  });

  it("knows the textbook case of 5 and 5 with U = 4", () => {
    expect(rankTest([1, 2, 4, 6, 8], [3, 7, 9, 10, 11]).probability).toBeCloseTo(0.0952, 3);
  });

  it("says nothing of values that are all alike", () => {
    expect(rankTest([1, 1, 1], [1, 1, 1])).toEqual({ probability: 1, delta: 0, shift: 0 });
  });

  it("depends on the order alone, and turns round with its sides", () => {
    const sample = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 15 });
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        const there = rankTest(a, b);
        const back = rankTest(b, a);
        const cubed = rankTest(
          a.map((value) => value ** 3),
          b.map((value) => value ** 3),
        );
        expect(back.probability).toBeCloseTo(there.probability, 9);
        expect(back.delta).toBeCloseTo(-there.delta, 9);
        expect(cubed.probability).toBeCloseTo(there.probability, 9);
        expect(there.probability).toBeGreaterThan(0);
        expect(there.probability).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("holm", () => {
  it("multiplies the least by all, the next by one fewer, and never falls", () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    const expected = [0.03, 0.06, 0.06, 0.02];
    for (const [at, value] of adjusted.entries()) expect(value).toBeCloseTo(expected[at] ?? 0, 12);
  });
});
