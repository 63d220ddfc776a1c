/** The period of a service that pauses, or starts jobs in batches, again and again. */

import type { CapacityStep } from "../report/capacity-model.ts";
import type { Rhythm } from "./course.ts";
import { courseOf, isAlike, longestOf, sumOf } from "./course.ts";

/** By all steps that agree with the last one: a period may depend on the load. Null of none. */
export function periodSeconds(rhythms: readonly Rhythm[]): number | null {
  const last = rhythms.at(-1);
  if (last === undefined) return null;
  const alike = rhythms.filter((each) => isAlike(lengthOf(each), lengthOf(last)));
  return sumOf(alike.map(({ seconds }) => seconds)) / sumOf(alike.map(({ periods }) => periods));
}

function lengthOf({ seconds, periods }: Rhythm): number {
  return seconds / periods;
}

/** Ours: no step is longer for a period; a standstill that comes so seldom costs little. */
const SOUGHT = { msMax: 60_000, standstills: 16 };

/**
 * How long the next steps are to last, so that they show when a standstill comes again; null once
 * that was in vain. `soughtMs`: as the last one was given.
 */
export function soughtAfter(soughtMs: number | null, step: CapacityStep): number | null {
  const { turns, standstills } = courseOf(step);
  const inside = standstills.filter(({ isInside }) => isInside);
  const longestMs = Math.max((turns?.phaseSeconds ?? 0) * 1_000, longestOf(inside));
  if (soughtMs === null || longestMs === 0 || step.stopped !== null) return soughtMs;
  const lastedMs = step.seconds * 1_000;
  const isVain = lastedMs >= Math.min(SOUGHT.msMax, longestMs * SOUGHT.standstills);
  return isVain ? null : Math.max(soughtMs, lastedMs * 2);
}
