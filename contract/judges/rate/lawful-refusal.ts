/** Whether a lawful limiter may refuse a request that was sent within the plan. Spec §7, §8. */

import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";

/** A request on its way: the limiter saw it at some time from its sending to its answer. */
export interface Passage {
  sentAtMs: number;
  /** Infinity until it was answered. */
  receivedAtMs: number;
}

/** Ours: a limiter that weighs the last window into this one looks back two of them. */
export const WINDOWS_BACK = 2;
/** Ours: sums of weights miss whole numbers by less than this. */
const ROUNDING = 1e-6;

/**
 * `requests`: those of the key in the last two windows or since it rested, the refused one among
 * them. It may be refused if those that may have arrived in the window before it exceed the burst,
 * together with those of the window before that by the weight that a sliding counter gives them,
 * wherever the windows begin; or if they emptied a bucket. A refused request may count as well.
 */
export function mayBeRefused(
  refused: Passage,
  requests: readonly Passage[],
  limit: RateLimit,
): boolean {
  const window = windowMs(limit);
  const { sentAtMs, receivedAtMs } = refused;
  const times = requests
    .filter((each) => each.sentAtMs <= receivedAtMs)
    .map((each) => each.receivedAtMs)
    .sort((a, b) => a - b);
  // The sum is highest where an edge lets in one more request.
  const edges = [sentAtMs, ...times, ...times.map((ms) => ms + window)];
  const fillsWindow = edges.some((edge) => {
    if (edge > sentAtMs || edge < sentAtMs - window) return false;
    const current = countFrom(times, edge);
    const previous = countFrom(times, edge - window) - current;
    const weight = 1 - (sentAtMs - edge) / window;
    return current + weight * previous > limit.burst + ROUNDING;
  });
  return fillsWindow || mayHaveEmptied(times, sentAtMs, limit);
}

/** Whether those of some time on may exceed the burst and what a bucket has earned since. */
function mayHaveEmptied(times: readonly number[], sentAtMs: number, limit: RateLimit): boolean {
  return times.some((fromMs, index) => {
    const earned = (Math.max(0, sentAtMs - fromMs) / 1_000) * limit.sustained;
    return times.length - index > limit.burst + earned + ROUNDING;
  });
}

/** How many of the sorted times are that late or later. */
function countFrom(times: readonly number[], fromMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  return times.length - low;
}
