/** Time and waiting, in k6's event loop. */

import exec from "k6/execution";

let instance: typeof exec.instance | null = null;
let testStartMs: number | null = null;

/**
 * Milliseconds since the epoch, whole, from k6's monotonic clock: a wall clock that is set during a
 * run shifts no measurement. Not in the init context.
 */
export function now(): number {
  // Kept: the module builds it anew each time, which takes ten times as long as the reading.
  instance ??= exec.instance;
  const runMs = instance.currentTestRunDuration;
  testStartMs ??= Date.now() - runMs;
  return Math.floor(testStartMs + runMs);
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}

export function delayUntil(atMs: number): Promise<void> {
  return delay(atMs - now());
}
