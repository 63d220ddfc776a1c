/** Timed-out jobs for the report: by how much each overshot its limit. */

import { rounded } from "../../numbers/figures.ts";
import type { TimeoutSeries } from "../../run/series.ts";
import { spreadSample } from "../../run/series.ts";
import type { Json } from "../../verdict.ts";
import type { LimitBounds } from "./bounds.ts";
import type { LimitReading } from "./limited-job.ts";
import type { LimitTrial } from "./trial.ts";

/** Ours: enough for a plot; more would only make the report long. */
const LISTED_MAX = 200;

export function timeoutMeasurement(
  worker: string,
  { bounds, beyond: jobs }: LimitTrial,
  lagMs: number,
): Json {
  const overshoots = overshootsOf(jobs, bounds);
  return {
    worker,
    limitSeconds: bounds.limitSeconds,
    limitMs: bounds.limitMs,
    tolerance: { earlyMs: bounds.earlyMs, lateMs: bounds.lateMs },
    jobs: jobs.length,
    timedOut: overshoots.length,
    stated: jobs.filter(({ run }) => run !== null && run.statedMs !== null).length,
    lagMs,
    overshootMs: distribution(overshoots),
  };
}

/** The overshoots themselves, for a plot. */
export function timeoutSeries(worker: string, { bounds, beyond }: LimitTrial): TimeoutSeries {
  const { limitMs, earlyMs, lateMs } = bounds;
  const overshoots = overshootsOf(beyond, bounds);
  const overshootsMs = spreadSample(overshoots, LISTED_MAX).map((ms) => rounded(ms, 1));
  return { worker, limitMs, earlyMs, lateMs, overshootsMs, jobs: overshoots.length };
}

/** Sorted. */
function overshootsOf(jobs: readonly LimitReading[], { limitMs }: LimitBounds): readonly number[] {
  return jobs
    .flatMap(({ end, run }) => (end === "timeout" && run !== null ? [run] : []))
    .map((run) => (run.statedMs ?? (run.lowMs + run.highMs) / 2) - limitMs)
    .sort((a, b) => a - b);
}

/** Of sorted values; null without any. */
function distribution(sorted: readonly number[]): Json {
  if (sorted.length === 0) return null;
  const at = (share: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0, 1);
  return { min: rounded(sorted[0] ?? 0, 1), p50: at(0.5), p90: at(0.9), max: at(1) };
}
