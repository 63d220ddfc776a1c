/** Counts what happened of late; for faults that show under load only. */

import type { Clock } from "../../contract/clock.ts";

export interface RecentCount {
  add(): void;
  /** How often `add` was called within the window that ends now. */
  current(): number;
}

export function recentCount(windowMs: number, clock: Clock): RecentCount {
  const times: number[] = [];
  return {
    add() {
      times.push(clock.nowMs());
    },
    current() {
      const sinceMs = clock.nowMs() - windowMs;
      while (times.length > 0 && (times[0] ?? sinceMs) < sinceMs) times.shift();
      return times.length;
    },
  };
}
