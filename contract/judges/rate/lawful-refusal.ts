/** Whether a lawful limiter may refuse a request that was sent within the plan. Spec §7, §8. */

import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Passage } from "./ascending.ts";
import { countBelow, countsBelow, countWhile, timesOf } from "./ascending.ts";

/** Ours: a limiter that weighs the last window into this one looks back two of them. */
export const WINDOWS_BACK = 2;
/** Ours: sums of weights miss whole numbers by less than this. */
const ROUNDING = 1e-6;

/** What a limiter of such a plan had to do with a key's requests. */
export interface Traffic {
  readonly limit: RateLimit;
  /** When requests were sent, in order. */
  readonly sentMs: readonly number[];
  /** When they were answered, in order; Infinity for those that are not answered yet. */
  readonly receivedMs: readonly number[];
  /**
   * Up to each answer: the most that a bucket had earned by one of them, since the first, beyond
   * one request for each before it.
   */
  readonly earnedAhead: readonly number[];
}

export function trafficOf(requests: readonly Passage[], limit: RateLimit): Traffic {
  const sentMs = timesOf(requests, "sentAtMs");
  const receivedMs = timesOf(requests, "receivedAtMs");
  const [firstMs = 0] = receivedMs;
  let ahead = Number.NEGATIVE_INFINITY;
  const earnedAhead = receivedMs.map((ms, before) => {
    ahead = Math.max(ahead, earned(ms - firstMs, limit) - before);
    return ahead;
  });
  return { limit, sentMs, receivedMs, earnedAhead };
}

function earned(ms: number, { sustained }: RateLimit): number {
  return (ms / 1_000) * sustained;
}

/**
 * `traffic`: that of the key in the last two windows or since it rested, with the refused request.
 * It may be refused if those that may have arrived in the window before it exceed the burst,
 * together with those of the window before that by the weight that a sliding counter gives them,
 * wherever the windows begin; or if they emptied a bucket. A refused request may count as well.
 */
export function mayBeRefused(refused: Passage, traffic: Traffic): boolean {
  const { sentMs, receivedMs } = traffic;
  // Sent after the refusal was there, and so answered later than any time that is looked at here.
  const later = sentMs.length - countWhile(sentMs, (ms) => ms <= refused.receivedAtMs);
  const count = receivedMs.length - later;
  const { sentAtMs } = refused;
  return fillsWindow(sentAtMs, count, traffic) || empties(sentAtMs, count, traffic);
}

/** Whether those of a window may exceed the burst, with what weighs of the window before. */
function fillsWindow(sentAtMs: number, count: number, { receivedMs, limit }: Traffic): boolean {
  const window = windowMs(limit);
  /** A window begins that long after an answer; asked for answers in order, from one on. */
  const fillsAfter = (fromMs: number, afterMs: number) => {
    const beforeEdge = countsBelow(receivedMs, fromMs + afterMs);
    const beforePrevious = countsBelow(receivedMs, fromMs + afterMs - window);
    return (answeredMs: number) => {
      const edge = answeredMs + afterMs;
      const before = beforeEdge(edge);
      const previous = before - beforePrevious(edge - window);
      const weight = 1 - (sentAtMs - edge) / window;
      return count - before + weight * previous > limit.burst + ROUNDING;
    };
  };
  const fromMs = sentAtMs - window;
  const middle = countBelow(receivedMs, fromMs);
  const inWindow = receivedMs.slice(
    middle,
    countWhile(receivedMs, (ms) => ms <= sentAtMs),
  );
  const inPrevious = receivedMs.slice(countBelow(receivedMs, fromMs - window), middle);
  // The sum is highest where an edge lets in one more request.
  return (
    fillsAfter(sentAtMs, 0)(sentAtMs) ||
    inWindow.some(fillsAfter(fromMs, 0)) ||
    inPrevious.some(fillsAfter(fromMs - window, window))
  );
}

/** Whether those of some time on may exceed the burst and what a bucket has earned since. */
function empties(
  sentAtMs: number,
  count: number,
  { receivedMs, earnedAhead, limit }: Traffic,
): boolean {
  const [firstMs = 0] = receivedMs;
  const before = countWhile(receivedMs, (ms) => ms <= sentAtMs);
  const soFar = earnedAhead[before - 1];
  const ahead = soFar === undefined ? 0 : soFar - earned(sentAtMs - firstMs, limit);
  return count + Math.max(ahead, -before) > limit.burst + ROUNDING;
}
