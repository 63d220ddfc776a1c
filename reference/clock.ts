/** Time of the service: the machine's own clock, and timers that can be called off together. */

import { performance } from "node:perf_hooks";
import type { Clock } from "../contract/clock.ts";

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface ClosableClock extends Clock {
  /** Calls off what is still to come; nothing is called back afterwards. */
  close(): void;
}

/** The time of this machine. */
export function createRealClock(): ClosableClock {
  return closable({ nowMs: () => performance.timeOrigin + performance.now(), after });
}

/**
 * Measured on the monotonic clock: Node's own timers count whole milliseconds of the event loop's
 * time, and may fire up to one of them early.
 */
function after(delayMs: number, callback: () => void): () => void {
  const dueMs = performance.now() + delayMs;
  let handle: NodeJS.Timeout | undefined;
  const arm = () => {
    const remainingMs = Math.min(Math.max(0, dueMs - performance.now()), TIMER_MS_MAX);
    handle = setTimeout(() => {
      if (performance.now() < dueMs) arm();
      else callback();
    }, Math.floor(remainingMs));
  };
  if (delayMs !== Number.POSITIVE_INFINITY) arm();
  return () => clearTimeout(handle);
}

/** The same time, with timers of its own: closing it leaves those of others alone. */
export function closable(clock: Clock): ClosableClock {
  const pending = new Set<() => void>();
  let closed = false;
  return {
    nowMs: () => clock.nowMs(),
    after(delayMs, callback) {
      if (closed) return () => {};
      const cancel = clock.after(delayMs, () => {
        pending.delete(cancel);
        callback();
      });
      pending.add(cancel);
      return () => {
        pending.delete(cancel);
        cancel();
      };
    },
    close() {
      closed = true;
      for (const cancel of pending) cancel();
      pending.clear();
    },
  };
}

/** Whole milliseconds since the epoch, as timestamps tell them. */
export function wholeMs(clock: Clock): number {
  return Math.floor(clock.nowMs());
}
