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

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  wallMs: () => Date.now(),
  callAt(atMs, callback) {
    let handle: NodeJS.Timeout;
    const arm = () => {
      const restMs = Math.max(0, atMs - this.nowMs());
      const fire = () => (this.nowMs() < atMs ? arm() : callback());
      handle = setTimeout(fire, Math.min(Math.floor(restMs), TIMER_MS_MAX));
    };
    arm();
    return () => clearTimeout(handle);
  },
};

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
