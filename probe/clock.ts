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
  return nap(clock, atMs, signal).over;
}

export interface Nap {
  over: Promise<void>;
  /** Ends it before its time. */
  wake: () => void;
}

/** A sleep that can be ended. Thousands may sleep at once. */
export function nap(clock: Clock, atMs: number, signal: AbortSignal): Nap {
  if (signal.aborted) return { over: Promise.resolve(), wake: () => {} };
  let wake = () => {};
  const over = new Promise<void>((resolve) => {
    const sleepers = sleepersOf(signal);
    wake = () => {
      callOff();
      sleepers.delete(wake);
      resolve();
    };
    const callOff = clock.callAt(atMs, wake);
    sleepers.add(wake);
  });
  return { over, wake };
}

const sleepersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** A signal finds each of its listeners by walking through all of them; a set does not. */
function sleepersOf(signal: AbortSignal): Set<() => void> {
  const known = sleepersBySignal.get(signal);
  if (known !== undefined) return known;
  const sleepers = new Set<() => void>();
  sleepersBySignal.set(signal, sleepers);
  signal.addEventListener("abort", () => {
    for (const wake of [...sleepers]) wake();
  });
  return sleepers;
}
