/** When no job ended though many were due, and what a step says in which that was for long. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { duration } from "../report/text.ts";
import { turnsIn } from "./pace.ts";

export interface Standstill {
  /** Since the step began. */
  untilSeconds: number;
  ms: number;
}

/** Ours: while this machine was later than that, a standstill may be its own. */
export const CALM_LAG_MS = 300;

/** Ours: shorter gaps between ends, or of fewer jobs that were due, are chance. */
const GAP = { msMin: 1_000, jobsMin: 6 };

export type Gapped = Pick<CapacityStep, "points" | "seconds" | "ratePerSecond" | "runMs">;

/** Between two points, in seconds; 0 of fewer. */
export function intervalOf(points: CapacityStep["points"]): number {
  return (points[1]?.atSeconds ?? 0) - (points[0]?.atSeconds ?? 0);
}

/** In whole intervals of the step, after so many seconds. */
export function standstillsIn(
  step: Gapped,
  fromSeconds = 0,
  jobsMin: number = GAP.jobsMin,
): Standstill[] {
  const { points, seconds, ratePerSecond } = step;
  const interval = intervalOf(points);
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

/** Those that began and ended in the step: the first job's time is none. */
export function standstillsInside(step: Gapped): Standstill[] {
  return standstillsIn(step).filter(({ untilSeconds, ms }) => {
    return untilSeconds > ms / 1_000 && untilSeconds < step.seconds;
  });
}

/** What waits for the service to go on, or to work faster again, as time of load. */
export function longestWaitMs(step: CapacityStep): number {
  return Math.max(longestStandstillMs(step), turnsIn(step)?.swingMs ?? 0);
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
const TOLD_SHARE = 1 / 5;
/** Ours: what is so much longer, in whole intervals, is the same one. */
const SAME = 1.25;

/**
 * Why a step that failed, neither for errors nor refusals, says nothing: nothing ended for so much
 * of it that jobs may take longer, or start in batches, or the service may pause. Growth would look
 * the same. Null where that is no reason. The step was made for standstills up to `standstillMs`;
 * `isSought`: longer steps may show that a shorter one, which ended in it, comes again and again.
 */
export function standstillDoubt(
  step: CapacityStep,
  { standstillMs, isSought }: { standstillMs: number; isSought: boolean },
): string | null {
  const { failures, seconds, latencyMs, measuredSeconds, stopped } = step;
  const isSlow = failures.every(({ bottleneck }) => !["limiter", "errors"].includes(bottleneck));
  if (failures.length === 0 || !isSlow) return null;
  const stoodMs = longestMs(step, 0);
  const isLong = stoodMs > seconds * 1_000 * TOLD_SHARE || standstillsIn(step).length > 0;
  const isNew = isLong && stoodMs > standstillMs * SAME;
  const isWhole = isSought && stopped === null;
  const turns = isWhole ? turnsIn(step) : null;
  const mayComeAgain = isWhole && standstillsInside(step).length > 0;
  if (!isNew && !mayComeAgain && turns === null) return null;
  // What is started in one go ends in one go; of jobs that wait for each other the last wait most.
  const spreadMs = latencyMs === null ? 0 : latencyMs.p95 - latencyMs.p50;
  if (spreadMs > measuredSeconds * 1_000) return null;
  if (turns !== null && !isNew && !mayComeAgain) {
    const phase = duration(turns.phaseSeconds * 1_000);
    return `jobs ended faster and slower in turns, for about ${phase} each`;
  }
  return `no job ended for ${duration(stoodMs)} of the ${duration(seconds * 1_000)} of this step`;
}

/** True of a step that says nothing for that reason. */
export function isStandstill({ outcome, generator }: CapacityStep): boolean {
  return outcome === "withdrawn" && generator.doubtKind === "standstill";
}
