/**
 * How much a limiter gives back at once. Many refill a bucket in steps, each 100 ms or each second
 * (Spec §8 names no algorithm): under overload each step is admitted in one run, and what comes
 * after it is refused until the next.
 */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Volley } from "./trial.ts";
import { answeredAtMs, outcomeOf, spanSeconds } from "./trial.ts";

/** A bucket's refill, where it comes in steps. */
export interface Refill {
  /** Requests that come back at once. */
  size: number;
  everyMs: number;
}

/** A random part of each rest, so that volleys meet a limiter at any phase. */
export const PHASE_WINDOWS = 0.2;

/** Ours: requests that overtake each other make runs of 1.7 on average where refill is even. */
const SIZE_MIN = 2;
/** Ours: what comes back in larger parts of a burst is a window, which begins anew. */
const SIZE_SHARE_MAX = 0.75;
/** Ours: a run at either end may be cut off; with fewer between them nothing repeats. */
const RUNS_MIN = 3;
/** Ours: requests that come unevenly make runs of any length. */
const ALIKE_SHARE_MIN = 0.75;
/** Ours: a step that is no whole number, and one request that overtook another. */
const RUN_DIFFERENCE = 1;
const RUN_DIFFERENCE_SHARE = 0.2;

/** Null where a press shows no steps; its requests without the lag that all had alike. */
export function refillIn(press: readonly Exchange[], limit: RateLimit): Refill | null {
  const lengths = runsIn(press)
    .map(({ length }) => length)
    .slice(1, -1);
  if (lengths.length < RUNS_MIN) return null;
  const size = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  if (size < SIZE_MIN || size > limit.burst * SIZE_SHARE_MAX) return null;
  const most = Math.max(RUN_DIFFERENCE, size * RUN_DIFFERENCE_SHARE);
  const alike = lengths.filter((length) => Math.abs(length - size) <= most).length;
  if (alike < lengths.length * ALIKE_SHARE_MIN) return null;
  return { size, everyMs: (size / limit.sustained) * 1_000 };
}

/** Requests admitted one after the other, with none refused between them. */
export function runsIn(press: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const middleMs = (shot: Exchange) => shot.sentAtMs + answeredAtMs(shot);
  const inOrder = press
    .filter((shot) => outcomeOf(shot) !== "failed")
    .sort((a, b) => middleMs(a) - middleMs(b));
  const runs: Exchange[][] = [];
  let isAfterRefusal = true;
  for (const shot of inOrder) {
    const isRefused = outcomeOf(shot) === "refused";
    if (!isRefused && isAfterRefusal) runs.push([]);
    if (!isRefused) runs.at(-1)?.push(shot);
    isAfterRefusal = isRefused;
  }
  return runs;
}

/** What may have come back beyond an even refill, in any span of time. */
export function moreAtOnce(refill: Refill | null): number {
  return refill === null ? 0 : refill.size - 1;
}

/** Ours: with it, one key in ten thousand of a lawful service would be called broken. */
const STEP_CHANCE_MAX = 1e-4;

/** The same of several volleys, unless a step is as good as sure to have missed one of them. */
export function moreInAll(
  volleys: readonly Volley[],
  refill: Refill | null,
  limit: RateLimit,
): number {
  if (refill === null) return 0;
  const phasesMs = Math.min(refill.everyMs, PHASE_WINDOWS * windowMs(limit));
  const chance = volleys.reduce((product, { shots }) => {
    return product * Math.min(1, (spanSeconds(shots) * 1_000) / phasesMs);
  }, 1);
  return chance <= STEP_CHANCE_MAX ? 0 : moreAtOnce(refill);
}
