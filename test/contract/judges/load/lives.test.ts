/** Jobs that live differently: of a service that keeps up, more are left now than then. */

import { describe, expect, it } from "vitest";
import { backlogOf, steadyOf, thirdsOf } from "../../../../contract/judges/load/reading.ts";
import { stableClaim } from "../../../../contract/judges/load/stable.ts";
import { throughputClaim } from "../../../../contract/judges/load/throughput.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import {
  meanDifferenceOf,
  newHistogram,
  recordValue,
} from "../../../../contract/numbers/histogram.ts";
import type { LoadPart } from "../../../../contract/run/run-plan.ts";
import type { Draw } from "../../../../simulation/chance.ts";
import { between, exponential, stream } from "../../../../simulation/chance.ts";
import { drawnCases } from "../../../drawn-cases.ts";
import type { SmallJob } from "./shares.ts";
import { drawLoad, seenOf } from "./shares.ts";
import { IDLE } from "./violations.ts";

const OWN = { doubt: null, lag: IDLE };
const SEEDS = drawnCases(
  "lives",
  Array.from({ length: 100 }, (_, at) => at),
  2,
);

/** Drawn from that mean; `sinceMs`: since the load began. */
type Life = (draw: Draw, meanMs: number, sinceMs: number) => number;

const LIVES: Readonly<Record<string, Life>> = {
  alike: (_draw, meanMs) => meanMs,
  "between nothing and twice the mean": (draw, meanMs) => between(draw, 0, 2 * meanMs),
  "without memory": (draw, meanMs) => exponential(draw, meanMs),
  "of two kinds": (draw, meanMs) => meanMs * (draw() < 0.2 ? 4 : 0.25),
};

type Jobs = readonly SmallJob[];
/** The verdicts on throughput, and on backlog and waits, of four jobs a second that end as told. */
function verdictsOf(seed: number, seconds: number, endsOf: (jobs: Jobs, draw: Draw) => Jobs) {
  const draw = stream(seed, "lives");
  const load = drawLoad(seed, 0, between(draw, seconds, 90));
  const jobs = endsOf(load.jobs, draw);
  const seen = seenOf({ ...load, jobs }, jobs, 1);
  return [
    throughputClaim(steadyOf(seen), 0.95, OWN),
    stableClaim(thirdsOf(seen), backlogOf(seen), 0.2, OWN, null),
  ].map((claim) => decide(claim).verdict);
}

/** Each job begins at once. */
function living(life: Life): (jobs: Jobs, draw: Draw) => Jobs {
  return (jobs, draw) => {
    const meanMs = 300 * 2 ** between(draw, 0, 5);
    const startMs = jobs[0]?.sentAtMs ?? 0;
    return jobs.map((job) => {
      const lifeMs = life(draw, meanMs, job.sentAtMs - startMs);
      return { ...job, waitMs: 0, endMs: Math.round(job.sentAtMs + 50 + lifeMs) };
    });
  };
}

/** Each job waits for one of so many places that seven in ten are taken on average. */
function queued(jobs: Jobs, draw: Draw): Jobs {
  const meanMs = between(draw, 500, 3_000);
  const freeAtMs = Array.from({ length: Math.ceil((4 * meanMs) / 1_000 / 0.7) }, () => 0);
  return jobs.map((job) => {
    const [first = 0, ...others] = freeAtMs.sort((a, b) => a - b);
    const startMs = Math.max(job.sentAtMs, first);
    const endMs = startMs + exponential(draw, meanMs);
    freeAtMs.splice(0, freeAtMs.length, endMs, ...others);
    return { ...job, waitMs: startMs - job.sentAtMs, endMs: Math.round(endMs) };
  });
}

/** Each job waits 15 ms longer than the one before it. */
function waitingLonger(jobs: Jobs): Jobs {
  return jobs.map((job, at) => {
    const waitMs = at * 15;
    return { ...job, waitMs, endMs: job.sentAtMs + waitMs + 500 };
  });
}

describe("a load whose jobs live differently", () => {
  it.each(Object.entries(LIVES))("breaks nothing where they are %s", (_title, life) => {
    const broken = SEEDS.filter((seed) => verdictsOf(seed, 20, living(life)).includes("broken"));
    expect(broken).toEqual([]);
  });

  it("breaks nothing where they wait in a queue", () => {
    const broken = SEEDS.filter((seed) => verdictsOf(seed, 30, queued).includes("broken"));
    expect(broken).toEqual([]);
  });

  it("is told from a service that falls behind", () => {
    const jobs = living((_draw, meanMs, sinceMs) => meanMs + sinceMs / 4);
    const told = SEEDS.filter((seed) => verdictsOf(seed, 20, jobs)[0] === "broken");
    expect(told.length).toBeGreaterThan(SEEDS.length * 0.9);
  });

  it("is told from one where jobs wait longer and longer", () => {
    const told = SEEDS.filter((seed) => verdictsOf(seed, 40, waitingLonger)[1] === "broken");
    expect(told.length).toBeGreaterThan(SEEDS.length * 0.9);
  });
});

describe("a soak that is short for what it offers", () => {
  const findingOf = (seconds: number, longMs: number, part: LoadPart) => {
    const load = drawLoad(1, 0, seconds);
    const jobs = load.jobs.map((job, at) =>
      at % 5 === 0 ? { ...job, part, endMs: job.sentAtMs + longMs } : { ...job, part: "success" },
    ) as Jobs;
    const seen = seenOf({ ...load, jobs }, jobs, 1);
    return decide(throughputClaim(steadyOf(seen), 0.9, OWN));
  };

  it.each([
    [15, 8_000, "slow", "unobserved", /run for long need a soak of over 16 s; it lasted 15 s/],
    [15, 8_000, "timeout", "unobserved", /end at their limit need a soak of over 16 s/],
    [16, 7_000, "slow", "unobserved", /run for long need a soak of over 2. s at this rate/],
    [16, 7_000, "success", "inconclusive", /jobs in the steady phase are too few; expected 50/],
    [12, 1_000, "slow", "unobserved", /12 s offers 48 jobs at this rate; 50 are needed/],
    [15, 8_000, "success", "inconclusive", /shorter than twice the time that its jobs take/],
    [40, 8_000, "slow", "kept", /jobs.s completed/],
  ] as const)("%i s, %i ms of part %s: %s", (seconds, longMs, part, verdict, says) => {
    const found = findingOf(seconds, longMs, part);
    expect([found.verdict, found.summary]).toEqual([verdict, expect.stringMatching(says)]);
  });
});

it("tells how far values lie apart on average", () => {
  const histogram = newHistogram();
  for (const value of [100, 100, 300, 500]) recordValue(histogram, value);
  const pairs = [100, 100, 300, 500].flatMap((a) => [100, 100, 300, 500].map((b) => [a, b]));
  const mean = pairs.reduce((sum, [a = 0, b = 0]) => sum + Math.abs(a - b), 0) / pairs.length;
  expect(Math.abs(meanDifferenceOf(histogram) / mean - 1)).toBeLessThan(0.02);
  expect(meanDifferenceOf(newHistogram())).toBe(0);
});
