/**
 * Requests beyond the sustained rate wait in line, as in a leaky bucket that is a queue: one is
 * refused where a burst is waiting already.
 */

import { type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

/** A refused request takes no place in the line, whether it counts or not. */
export function queue({ sustained, burst }: LimiterOptions): Take {
  const perMs = sustained / 1000;
  let [last, atMs] = [-1, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    const place = Math.max(-1, last - Math.max(0, nowMs - atMs) * perMs) + 1;
    const beyond = place - (burst - 1);
    if (beyond > ROUNDING) return refused(beyond / perMs);
    [last, atMs] = [place, nowMs];
    return { admitted: true, waitMs: 0, delayMs: place / perMs };
  };
}

/** The same, with a burst at once and no end to the line: nothing is ever refused. */
export function endlessQueue({ sustained, burst }: LimiterOptions): Take {
  const perMs = sustained / 1000;
  let [last, atMs] = [-1, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    last = Math.max(-1, last - Math.max(0, nowMs - atMs) * perMs) + 1;
    atMs = nowMs;
    return { admitted: true, waitMs: 0, delayMs: Math.max(0, last - (burst - 1)) / perMs };
  };
}
