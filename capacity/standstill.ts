/** What a step says in which no job ended for long, or jobs ended faster and slower in turns. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { duration } from "../report/text.ts";
import { courseOf, longestOf } from "./course.ts";

/** Ours: while this machine was later than that, a standstill may be its own. */
export const CALM_LAG_MS = 300;

/** What waits for the service to go on, or to work faster again, as time of load. */
export function longestWaitMs(step: CapacityStep): number {
  return Math.max(longestStandstillMs(step), courseOf(step).turns?.swingMs ?? 0);
}

/** In a step that says nothing for that reason, of few jobs as well. */
export function longestStandstillMs(step: CapacityStep): number {
  const { longestMs, standstills } = courseOf(step);
  return isStandstill(step) ? longestMs : longestOf(standstills);
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
  const { standstills, longestMs: stoodMs, turns: seen } = courseOf(step);
  const isLong = stoodMs > seconds * 1_000 * TOLD_SHARE || standstills.length > 0;
  const isNew = isLong && stoodMs > standstillMs * SAME;
  const isWhole = isSought && stopped === null;
  const turns = isWhole ? seen : null;
  const mayComeAgain = isWhole && standstills.some(({ isInside }) => isInside);
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
