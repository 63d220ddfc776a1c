/** The probe's time: monotonic while the process lives, and calls that never come early. */

import { performance } from "node:perf_hooks";

export interface Clock {
  /** Milliseconds since the epoch with fractions, monotonic: the count of all observations. */
  nowMs(): number;
  /** The machine's own idea of the time, which may be set; only for telling that it was. */
  wallMs(): number;
  /** Calls back at that time or later. Gives back what calls it off. */
  callAt(atMs: number, callback: () => void): () => void;
}

/** The clock of this machine, which stands still while the machine sleeps. */
export interface SystemClock extends Clock {
  /** How far it is ahead of `performance.timeOrigin + performance.now()`. */
  readonly skippedMs: number;
  /** Makes up for a sleep of the machine: calls that came due meanwhile are made now. */
  skip(ms: number): void;
}

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export function createSystemClock(): SystemClock {
  let skippedMs = 0;
  const waiting = new Set<() => void>();
  const nowMs = () => performance.timeOrigin + performance.now() + skippedMs;
  return {
    get skippedMs() {
      return skippedMs;
    },
    nowMs,
    wallMs: () => Date.now(),
    callAt(atMs, callback) {
      let handle: NodeJS.Timeout;
      const arm = () => {
        clearTimeout(handle);
        const restMs = Math.max(0, atMs - nowMs());
        handle = setTimeout(fire, Math.min(Math.floor(restMs), TIMER_MS_MAX));
      };
      const callOff = () => {
        clearTimeout(handle);
        waiting.delete(arm);
      };
      const fire = () => {
        if (nowMs() < atMs) return arm();
        callOff();
        callback();
      };
      waiting.add(arm);
      arm();
      return callOff;
    },
    skip(ms) {
      skippedMs += ms;
      for (const arm of [...waiting]) arm();
    },
  };
}

/** Resolves at that time; at once when the signal is aborted. */
export function sleepUntil(clock: Clock, atMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      callOff();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const callOff = clock.callAt(atMs, done);
    signal.addEventListener("abort", done);
  });
}
