/** The time of this machine for all that runs in Node: it never steps, and no call comes early. */

import { performance } from "node:perf_hooks";

import type { Clock } from "../contract/time/clock.ts";
import type { Alarm } from "./timer-queue.ts";
import { TimerQueue } from "./timer-queue.ts";

/** It stands still while the machine sleeps. */
export interface SystemClock extends Clock {
  /** The machine's own idea of the time, which may be set; only for telling that it was. */
  wallMs(): number;
  /** Calls back at that time or later. Gives back what calls it off. */
  callAt(atMs: number, callback: () => void): () => void;
  /** The same, for calls that are made again and again. */
  alarm(callback: () => void): Alarm;
  /** Calls back when what goes on now is over. Gives back what calls it off. */
  soon(callback: () => void): () => void;
  /** How far it is ahead of `nowMs`. */
  readonly skippedMs: number;
  /** Makes up for a sleep of the machine: calls that came due meanwhile are made now. */
  skip(ms: number): void;
}

/** Milliseconds since the epoch with fractions; the same count in every thread of a process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

export function createSystemClock(): SystemClock {
  let skippedMs = 0;
  const now = () => nowMs() + skippedMs;
  const timers = new TimerQueue(now);
  return {
    nowMs: now,
    wallMs: () => Date.now(),
    callAt: (atMs, callback) => timers.callAt(atMs, callback),
    after(delayMs, callback) {
      if (delayMs === Number.POSITIVE_INFINITY) return () => {};
      return timers.callAt(now() + delayMs, callback);
    },
    alarm: (callback) => timers.alarm(callback),
    soon(callback) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
    get skippedMs() {
      return skippedMs;
    },
    skip(ms) {
      skippedMs += ms;
      timers.recheck();
    },
  };
}
