/** The probe's time, and sleeps that a signal ends. */

import type { SystemClock } from "../clock/system-clock.ts";

/** Monotonic while the process lives; a test gives its own. */
export type Clock = Pick<SystemClock, "nowMs" | "wallMs" | "callAt" | "alarm" | "soon">;

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
    wake = () => {
      callOff();
      forget();
      resolve();
    };
    const callOff = clock.callAt(atMs, wake);
    const forget = whenAborted(signal, wake);
  });
  return { over, wake };
}

const listenersBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted, for thousands at once. Gives back what ends that. A signal
 * finds each of its own listeners by walking through all of them; a set does not.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const listeners = listenersBySignal.get(signal) ?? listenTo(signal);
  listeners.add(callback);
  return () => void listeners.delete(callback);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  listenersBySignal.set(signal, listeners);
  signal.addEventListener("abort", () => {
    for (const callback of [...listeners]) callback();
  });
  return listeners;
}
