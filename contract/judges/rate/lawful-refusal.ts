/** Whether a lawful limiter may refuse a request that was sent within the plan. Spec §7, §8. */

import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import { countBelow, countWhile } from "./ascending.ts";

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

/** When requests were sent and when they were answered, each in order. */
export interface Traffic {
  readonly sentMs: readonly number[];
  /** Infinity for those that are not answered yet. */
  readonly receivedMs: readonly number[];
}

export function trafficOf(requests: readonly Passage[]): Traffic {
  return {
    sentMs: requests.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b),
    receivedMs: requests.map(({ receivedAtMs }) => receivedAtMs).sort((a, b) => a - b),
  };
}

/**
 * `traffic`: that of the key in the last two windows or since it rested, with the refused request.
 * It may be refused if those that may have arrived in the window before it exceed the burst,
 * together with those of the window before that by the weight that a sliding counter gives them,
 * wherever the windows begin; or if they emptied a bucket. A refused request may count as well.
 */
export function mayBeRefused(refused: Passage, traffic: Traffic, limit: RateLimit): boolean {
  const { sentMs, receivedMs } = traffic;
  // Sent after the refusal was there, and so answered later than any time that is looked at here.
  const later = sentMs.length - countWhile(sentMs, (ms) => ms <= refused.receivedAtMs);
  const count = receivedMs.length - later;
  const { sentAtMs } = refused;
  return (
    fillsWindow(sentAtMs, receivedMs, count, limit) || empties(sentAtMs, receivedMs, count, limit)
  );
}

/** Whether those of a window may exceed the burst, with what weighs of the window before. */
function fillsWindow(
  sentAtMs: number,
  receivedMs: readonly number[],
  count: number,
  limit: RateLimit,
): boolean {
  const window = windowMs(limit);
  const countFrom = (fromMs: number) => count - countBelow(receivedMs, fromMs);
  const fillsFrom = (edge: number) => {
    if (edge > sentAtMs || edge < sentAtMs - window) return false;
    const current = countFrom(edge);
    const previous = countFrom(edge - window) - current;
    const weight = 1 - (sentAtMs - edge) / window;
    return current + weight * previous > limit.burst + ROUNDING;
  };
  // The sum is highest where an edge lets in one more request.
  const first = countBelow(receivedMs, sentAtMs - WINDOWS_BACK * window);
  const edges = receivedMs.slice(
    first,
    countWhile(receivedMs, (ms) => ms <= sentAtMs),
  );
  return fillsFrom(sentAtMs) || edges.some((ms) => fillsFrom(ms) || fillsFrom(ms + window));
}

/** Whether those of some time on may exceed the burst and what a bucket has earned since. */
function empties(
  sentAtMs: number,
  receivedMs: readonly number[],
  count: number,
  limit: RateLimit,
): boolean {
  return receivedMs.some((fromMs, index) => {
    const earned = (Math.max(0, sentAtMs - fromMs) / 1_000) * limit.sustained;
    return count - index > limit.burst + earned + ROUNDING;
  });
}
