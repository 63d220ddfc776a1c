/** What a run saw over time: complete in its sums, bounded in its size, offenders kept. */

import { describe, expect, it } from "vitest";
import { transitionSeries } from "../../../contract/judges/job/transition-series.ts";
import { rateSeries } from "../../../contract/judges/rate/measurement.ts";
import { webhookSeries } from "../../../contract/judges/webhook/series.ts";
import { DEFAULT_TOLERANCES } from "../../../contract/run/run-plan.ts";
import type { RequestSteps } from "../../../contract/run/series.ts";
import { keptFew, spreadSample } from "../../../contract/run/series.ts";
import { run } from "../judges/job/fixtures.ts";
import { simulateTrial } from "../judges/rate/simulated-trial.ts";
import { caseOf, runWith } from "../judges/webhook/healthy-run.ts";

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

describe("the series of a key", () => {
  const limit = { sustained: 10, burst: 20 };
  const trial = simulateTrial({ kind: "token-bucket", actual: limit, promised: limit });
  const series = rateSeries(trial, DEFAULT_TOLERANCES);
  const drain = series.drain as RequestSteps;

  it("counts every request of the drain once when sent, and once when answered", () => {
    const shots = (trial.drain?.press.length ?? 0) + (trial.drain?.volley.shots.length ?? 0);
    expect(sum(drain.sent)).toBe(shots);
    expect(sum(drain.admitted) + sum(drain.refused) + sum(drain.failed)).toBe(shots);
  });

  it("never shows more admitted than a bucket of the plan allows", () => {
    let admitted = 0;
    drain.admitted.forEach((count, at) => {
      admitted += count;
      const seconds = ((at + 1) * drain.stepMs) / 1_000;
      expect(admitted).toBeLessThanOrEqual(20 + 1 + 10 * seconds);
    });
    expect(admitted).toBeGreaterThan(60);
  });

  it("stays small for a large plan, and tells what is tolerated", () => {
    const large = { sustained: 500, burst: 2_000 };
    const { drain, tolerated } = rateSeries(
      simulateTrial({ kind: "gcra", actual: large, promised: large }),
      DEFAULT_TOLERANCES,
    );
    expect(drain?.sent.length).toBeLessThanOrEqual(201);
    expect(tolerated).toEqual({ sustained: 525, burst: 2_001 });
  });
});

describe("the series of webhooks", () => {
  it("tells the retries with their tolerance, and every attempt", () => {
    const series = webhookSeries(runWith());
    expect(series.rungs[1]).toEqual({ waitMs: 30_000, earliestMs: 29_500, latestMs: 33_004 });
    const schedule = series.jobs.find(({ kind }) => kind === "ladder");
    expect(schedule?.attempts.map(({ atMs }) => atMs)).toEqual([0, 5_002, 35_004, 335_006]);
    expect(schedule?.attempts[0]).toEqual({ atMs: 0, answer: "500", answeredAtMs: 1 });
    const late = series.jobs.find(({ kind }) => kind === "too-late");
    expect(late?.attempts[0]).toEqual({ atMs: 0, answer: "200@11000", answeredAtMs: null });
  });

  it("keeps a repeated delivery among hundreds that were made once", () => {
    const many = Array.from({ length: 200 }, () => caseOf("first", [0]));
    const twice = caseOf("first", [0, 7_000]);
    const series = webhookSeries(runWith({ first: () => [...many, twice] }));
    expect(series.jobs.length).toBe(40);
    expect(series.omitted).toBeGreaterThan(150);
    expect(series.jobs.map(({ jobId }) => jobId)).toContain(twice.jobId);
  });
});

describe("the series of transitions", () => {
  const jobs = (polls: Parameters<typeof run>[0]["polls"] = {}) =>
    run({ variant: "B", polls }).map((job) => ({ ...job, part: "success" }));

  it("puts a change between the last poll before it and the first after it", () => {
    const [completed] = transitionSeries(jobs());
    expect(completed?.isOffender).toBe(false);
    expect(completed?.transitions.map(({ state }) => state)).toEqual([
      "queued",
      "running",
      "completed",
    ]);
    expect(completed?.transitions[1]).toMatchObject({ earliestMs: 100, latestMs: 1_010 });
    expect(completed?.transitions[2]).toMatchObject({ earliestMs: 5_000, latestMs: 6_010 });
  });

  it("places what the service states where one delay of its creation lets all of it agree", () => {
    for (const { transitions } of transitionSeries(jobs())) {
      const stated = transitions.filter(({ statedMs }) => statedMs !== null);
      expect(stated.length).toBeGreaterThan(0);
      for (const { earliestMs, latestMs, statedMs } of stated) {
        expect(statedMs).toBeGreaterThanOrEqual(earliestMs);
        expect(statedMs).toBeLessThanOrEqual(latestMs);
      }
    }
  });

  it("tells what is stated in whole microseconds, which nanoseconds leave more digits of", () => {
    const edit = (body: { timestamps: object }) => {
      const submitted_at = "2023-11-14T22:13:20.436731306Z";
      return { ...body, timestamps: { ...body.timestamps, submitted_at } };
    };
    const [series] = transitionSeries(
      run({ variant: "B", edit }).map((job) => ({ ...job, part: "success" })),
    );
    const stated = series?.transitions.flatMap(({ statedMs }) => statedMs ?? []) ?? [];
    expect(stated.length).toBeGreaterThan(0);
    expect(stated.map((ms) => String(ms).split(".")[1]?.length)).toEqual(stated.map(() => 3));
  });

  it("keeps a job that moved backward among many that did not", () => {
    const backward = jobs({
      completed: [
        { state: "running", at: 100 },
        { state: "queued", at: 300 },
        { state: "completed", at: 900 },
      ],
    });
    const many = Array.from({ length: 10 }, () => jobs()).flat();
    const series = transitionSeries([...many, ...backward]);
    expect(series.length).toBe(16);
    expect(series.filter(({ isOffender }) => isOffender).length).toBe(1);
  });

  it("leaves out jobs that were first read long after their end, where others are enough", () => {
    const late = jobs({ completed: [{ state: "completed", at: 60_000 }] }).slice(0, 1);
    const many = Array.from({ length: 10 }, () => jobs()).flat();
    const series = transitionSeries([...late, ...many]);
    const ends = series.map(({ transitions }) => transitions.at(-1)?.latestMs ?? 0);
    expect(series.length).toBe(16);
    expect(Math.max(...ends)).toBeLessThan(10_000);
  });

  it("keeps jobs that are no longer found, even those that no poll has found", () => {
    const gone = { state: "queued", at: 900, status: 404 } as const;
    const lost = [[gone], [{ state: "completed", at: 300 } as const, gone]].flatMap((polls) =>
      jobs({ completed: polls }).slice(0, 1),
    );
    const many = Array.from({ length: 10 }, () => jobs()).flat();
    const offenders = transitionSeries([...many, ...lost]).filter(({ isOffender }) => isOffender);
    expect(offenders.map(({ transitions }) => transitions.length)).toEqual([1, 2]);
  });
});

describe("samples", () => {
  it("keep the extremes of what they thin out", () => {
    const sorted = Array.from({ length: 10_000 }, (_, at) => at);
    const sample = spreadSample(sorted, 200);
    expect([sample.length, sample[0], sample.at(-1)]).toEqual([200, 0, 9_999]);
    expect(spreadSample([3], 200)).toEqual([3]);
  });

  it("keep those that stand out, in their order", () => {
    expect(keptFew([1, 2, 3, 4, 5], 3, (value) => value === 5)).toEqual([1, 2, 5]);
  });
});
