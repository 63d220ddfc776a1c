/** Figures of a round of timed-out jobs for the report: by how much each overshot its limit. */

import type { Json } from "../../verdict.ts";
import type { LimitBounds } from "./bounds.ts";
import type { LimitedJob } from "./rounds.ts";
import { judgeTimedOutJob } from "./timed-out-job.ts";

/** Ours: enough for a plot; more would only make the report long. */
const LISTED_MAX = 200;

export function timeoutMeasurement(
  workerId: string,
  bounds: LimitBounds,
  limited: readonly LimitedJob[],
  lagMs: number,
): Json {
  const jobs = limited.map(({ history, lag }) => judgeTimedOutJob(history, bounds, lag));
  const overshoots = jobs
    .flatMap(({ end, run }) => (end === "timeout" && run !== null ? [run] : []))
    .map((run) => (run.statedMs ?? (run.lowMs + run.highMs) / 2) - bounds.limitMs)
    .sort((a, b) => a - b);
  return {
    worker: workerId,
    limitSeconds: bounds.limitSeconds,
    limitMs: bounds.limitMs,
    tolerance: { earlyMs: bounds.earlyMs, lateMs: bounds.lateMs },
    jobs: jobs.length,
    timedOut: overshoots.length,
    stated: jobs.filter(({ run }) => run !== null && run.statedMs !== null).length,
    lagMs,
    overshootMs: distribution(overshoots),
    overshootsMs: overshoots.slice(0, LISTED_MAX).map(rounded),
  };
}

/** Of sorted values; null without any. */
function distribution(sorted: readonly number[]): Json {
  if (sorted.length === 0) return null;
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  const [min, p50, p90, max] = [sorted[0], at(0.5), at(0.9), sorted.at(-1)];
  return { min: rounded(min), p50: rounded(p50), p90: rounded(p90), max: rounded(max) };
}

function rounded(ms: number | undefined): number {
  return Math.round((ms ?? 0) * 10) / 10;
}
