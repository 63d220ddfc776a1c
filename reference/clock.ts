/** Time of the service: the machine's own clock, and timers that can be called off together. */

import { createSystemClock } from "../clock/system-clock.ts";
import type { Clock } from "../contract/time/clock.ts";

export interface ClosableClock extends Clock {
  /** Calls off what is still to come; nothing is called back afterwards. */
  close(): void;
}

/** The time of this machine. */
export function createRealClock(): ClosableClock {
  return closable(createSystemClock());
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
