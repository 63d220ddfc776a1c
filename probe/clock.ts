/** The probe's time: monotonic while the process lives, and calls that never come early. */

import { performance } from "node:perf_hooks";

import type { Alarm } from "./timer-queue.ts";
import { TimerQueue } from "./timer-queue.ts";

export interface Clock {
  /** Milliseconds since the epoch with fractions, monotonic: the count of all observations. */
  nowMs(): number;
  /** The machine's own idea of the time, which may be set; only for telling that it was. */
  wallMs(): number;
  /** Calls back at that time or later. Gives back what calls it off. */
  callAt(atMs: number, callback: () => void): () => void;
  /** The same, for calls that are made again and again. */
  alarm(callback: () => void): Alarm;
  /** Calls back when what goes on now is over. Gives back what calls it off. */
  soon(callback: () => void): () => void;
}

/** The clock of this machine, which stands still while the machine sleeps. */
export interface SystemClock extends Clock {
  /** How far it is ahead of `performance.timeOrigin + performance.now()`. */
  readonly skippedMs: number;
  /** Makes up for a sleep of the machine: calls that came due meanwhile are made now. */
  skip(ms: number): void;
}

export function createSystemClock(): SystemClock {
  const { timeOrigin } = performance;
  let skippedMs = 0;
  const nowMs = () => timeOrigin + performance.now() + skippedMs;
  const timers = new TimerQueue(nowMs);
  return {
    get skippedMs() {
      return skippedMs;
    },
    nowMs,
    wallMs: () => Date.now(),
    callAt: (atMs, callback) => timers.callAt(atMs, callback),
    alarm: (callback) => timers.alarm(callback),
    soon(callback) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
    skip(ms) {
      skippedMs += ms;
      timers.recheck();
    },
  };
}

/** Calls back that far apart, with how late it is, until it is ended by what it gives back. */
export function repeat(
  clock: Pick<Clock, "nowMs" | "alarm">,
  everyMs: number,
  callback: (lateMs: number) => void,
): () => void {
  let dueMs = clock.nowMs() + everyMs;
  const alarm = clock.alarm(() => {
    const nowMs = clock.nowMs();
    const lateMs = nowMs - dueMs;
    dueMs = nowMs + everyMs;
    alarm.set(dueMs);
    callback(lateMs);
  });
  alarm.set(dueMs);
  return () => alarm.off();
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
