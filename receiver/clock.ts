/** The receiver's time: a clock that never steps, and calls that never come early. */

import { performance } from "node:perf_hooks";
import type { Clock } from "../contract/clock.ts";

/** Milliseconds since the epoch with fractions; the same count in every thread of a process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Calls back at that time or later. Node's timers count whole milliseconds and may fire up to one
 * of them early, which would make a 9 s answer an 8.999 s one. Gives back what calls it off.
 */
export function callAt(atMs: number, callback: () => void): () => void {
  let handle: NodeJS.Timeout;
  const arm = () => {
    const restMs = Math.max(0, atMs - nowMs());
    handle = setTimeout(() => (nowMs() < atMs ? arm() : callback()), Math.floor(restMs));
  };
  arm();
  return () => clearTimeout(handle);
}

export const RECEIVER_CLOCK: Clock = {
  nowMs,
  after: (delayMs, callback) => callAt(nowMs() + delayMs, callback),
};
