/** A capacity search and a comparison whose answers are known, made by the formulas they follow. */

import type { CapacityCurve } from "../../../report/capacity-page.ts";
import type { ComparedMetric, ComparisonIntervals } from "../../../report/comparison-intervals.ts";

/** Workers, each with one job at a time, and how long a job takes them: 10 jobs a second. */
const SERVERS = 4;
const RUN_SECONDS = 0.4;
const CAPACITY = SERVERS / RUN_SECONDS;
/** An exponential search, a bisection, and confirmations at the edge. */
const OFFERED = [1, 2, 4, 8, 16, 12, 10, 9, 9.5, 9.5, 9.5, 11];

/** Of one server that is as fast as all together: the tail of a queue, P(T > t) = exp(-(c-x)t). */
function p95Ms(offered: number): number {
  const spare = Math.max(0.05, CAPACITY - offered);
  return (RUN_SECONDS - Math.log(0.05) / spare / SERVERS) * 1_000;
}

export function plantedCapacity(): CapacityCurve {
  const points = OFFERED.map((offeredPerSecond, at) => ({
    offeredPerSecond,
    achievedPerSecond: Math.min(offeredPerSecond, CAPACITY) * (1 + 0.01 * Math.sin(at)),
    p95Ms: p95Ms(offeredPerSecond),
    outcome: offeredPerSecond < CAPACITY ? ("pass" as const) : ("fail" as const),
  }));
  const late = { offeredPerSecond: 14, achievedPerSecond: 6, p95Ms: 900 };
  return {
    baseUrl: "https://api.example.com",
    startedAt: "2026-11-29T10:32:00.000Z",
    unit: "jobs",
    summary: "about 9.75 jobs a second (9.5 to 10 with 95 % confidence); the queue gives way first",
    notes: ["jobs took 3085 ms at 10 a second, and 400 ms at 5 a second (medians)"],
    points: [...points, { ...late, outcome: "withdrawn" }],
    estimate: { perSecond: 9.75, low: 9.5, high: 10 },
    kneePerSecond: CAPACITY,
    bottleneck: { bottleneck: "queue", text: "the backlog grew by 1.9 jobs a second" },
    planPerSecond: 15,
  };
}

/** Rounds of a comparison, and the spread of a round's log ratio: 15 % on either side. */
const ROUNDS = 40;
const SPREAD = 0.15 * Math.SQRT2;
/** Two-sided 95 % of a normal distribution. */
const Z = 1.96;

function compared(
  name: string,
  figures: Pick<ComparedMetric, "unit" | "base" | "margin" | "verdict">,
  ratio: number,
): ComparedMetric {
  const half = (Z * SPREAD) / Math.sqrt(ROUNDS);
  return {
    name,
    ...figures,
    candidate: (figures.base ?? 0) * ratio,
    change: ratio - 1,
    low: ratio * Math.exp(-half) - 1,
    high: ratio * Math.exp(half) - 1,
    reason: null,
  };
}

export function plantedComparison(): ComparisonIntervals {
  const ms = { unit: "ms", margin: 0.05 };
  return {
    base: { label: "v1.4.2" },
    candidate: { label: "v1.5.0-rc1" },
    verdict: "worse",
    verdictReason: "submission to end takes longer at p50 and p95, after 40 rounds.",
    metrics: [
      compared("job p50", { ...ms, base: 840, verdict: "worse" }, 1.14),
      compared("job p95", { ...ms, base: 1_910, verdict: "worse" }, 1.22),
      compared("submit p50", { ...ms, base: 4.2, verdict: "better" }, 0.86),
      compared("throughput", { unit: "jobs/s", base: 9.7, margin: 0.1, verdict: "same" }, 0.995),
      compared("queue p50", { ...ms, base: 60, verdict: "unknown" }, 1.03),
      {
        name: "job p99",
        ...ms,
        base: null,
        candidate: null,
        change: null,
        low: null,
        high: null,
        verdict: "unknown",
        reason: "a block has 61 jobs, a p99 needs 100",
      },
    ],
  };
}
