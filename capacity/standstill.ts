/** When no job ended though many were due, and what a step says in which that was for long. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { duration } from "../report/text.ts";

export interface Standstill {
  /** Since the step began. */
  untilSeconds: number;
  ms: number;
}

/** Ours: shorter gaps between ends, or of fewer jobs that were due, are chance. */
const GAP = { msMin: 1_000, jobsMin: 6 };

type Gapped = Pick<CapacityStep, "points" | "seconds" | "ratePerSecond">;

/** In whole intervals of the step, after so many seconds. */
export function standstillsIn(
  step: Gapped,
  fromSeconds = 0,
  jobsMin: number = GAP.jobsMin,
): Standstill[] {
  const { points, seconds, ratePerSecond } = step;
  const interval = (points[1]?.atSeconds ?? 0) - (points[0]?.atSeconds ?? 0);
  const gaps: Standstill[] = [];
  let ms = 0;
  for (const { atSeconds, completedPerSecond, backlog } of points) {
    if (atSeconds < fromSeconds || atSeconds + interval > seconds) continue;
    const isGap = completedPerSecond === 0 && (backlog ?? 0) > 0;
    if (!isGap) gaps.push({ untilSeconds: atSeconds, ms });
    ms = isGap ? ms + interval * 1_000 : 0;
  }
  return [...gaps, { untilSeconds: seconds, ms }].filter((gap) => {
    return gap.ms >= GAP.msMin && (gap.ms / 1_000) * (ratePerSecond ?? 0) >= jobsMin;
  });
}

/** In a step that says nothing for that reason, of few jobs as well. */
export function longestStandstillMs(step: CapacityStep): number {
  return isStandstill(step) ? longestMs(step, 0) : longestMs(step);
}

function longestMs(step: Gapped, jobsMin?: number): number {
  return Math.max(0, ...standstillsIn(step, 0, jobsMin).map(({ ms }) => ms));
}

/** Ours: the warm-up, a third, lasts as long as jobs, or a standstill, and a little more. */
export const WAITS_IN_A_STEP = 3.6;
/** Ours: a standstill that outlasts the warm-up goes on in what is measured. */
const TOLD_SHARE = 1 / 3;
/** Ours: what is so much longer, in whole intervals, is the same one. */
const SAME = 1.25;

/**
 * Why a step that failed, neither for errors nor refusals, says nothing: nothing ended for so much
 * of it that jobs may take longer, or start in batches, or the service may pause. Growth would look
 * the same. Null where that is no reason; `knownMs`: the step was made for standstills up to that.
 */
export function standstillDoubt(step: CapacityStep, knownMs: number): string | null {
  const { failures, seconds, latencyMs, measuredSeconds } = step;
  const isSlow = failures.every(({ bottleneck }) => !["limiter", "errors"].includes(bottleneck));
  const stoodMs = longestMs(step, 0);
  if (failures.length === 0 || !isSlow || stoodMs <= knownMs * SAME) return null;
  if (stoodMs <= seconds * 1_000 * TOLD_SHARE) return null;
  // What is started in one go ends in one go; of jobs that wait for each other the last wait most.
  const spreadMs = latencyMs === null ? 0 : latencyMs.p95 - latencyMs.p50;
  if (spreadMs > measuredSeconds * 1_000) return null;
  return `no job ended for ${duration(stoodMs)} of the ${duration(seconds * 1_000)} of this step`;
}

/** True of a step that says nothing for that reason. */
export function isStandstill(step: CapacityStep): boolean {
  return step.outcome === "withdrawn" && step.generator.doubt === standstillDoubt(step, 0);
}
