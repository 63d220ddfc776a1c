/**
 * Steps of a load in which the service is as full as its jobs make it. Where many jobs end at once,
 * as those that run when hosts are replaced, the backlog takes a life of theirs to grow back: that
 * is the load's own growth, and no drift.
 */

import type { LoadSteps, Range } from "./series.ts";
import { lengthOf } from "./series.ts";
import { backlogNoise } from "./stable.ts";

/** Ours: hosts are killed within that time, and the ends of their jobs told. */
const FALL_MS = 2_000;
/** Ours: so much of a backlog leaves by itself only where jobs live for seconds. */
const FALL_SHARE = 1 / 3;

/** Of a range, without those in which the backlog grows back; `lifeMs`: how long that takes. */
export function filledSteps(
  series: LoadSteps,
  [from, to]: Range,
  { rate, lifeMs }: { rate: number; lifeMs: number },
): readonly number[] {
  const refillSteps = Math.ceil(lifeMs / series.stepMs);
  const falls = fallsIn(series, rate);
  const isFilled = (step: number) =>
    !falls.some((fall) => fall <= step && step <= fall + refillSteps);
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter(isFilled);
}

/** Steps within which, or soon after which, much of the backlog had left. */
function fallsIn(series: LoadSteps, rate: number): readonly number[] {
  const { stepMs, sums } = series;
  const levels = sums.backlogMs.map((sum) => sum / stepMs);
  const reach = Math.ceil(FALL_MS / stepMs);
  // The last step is cut off where nobody counted any more.
  return Array.from({ length: Math.max(0, lengthOf(series) - 1) }, (_, at) => at).filter((at) => {
    const level = levels[at] ?? 0;
    const left = Math.min(...levels.slice(at + 1, Math.min(at + 1 + reach, levels.length - 1)));
    return level - left > Math.max(backlogNoise(rate), level * FALL_SHARE);
  });
}
