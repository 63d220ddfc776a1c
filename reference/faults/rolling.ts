/** Counts what happened of late; for faults that show under load only. */

import { performance } from "node:perf_hooks";

export interface RecentCount {
  add(): void;
  /** How often `add` was called within the window that ends now. */
  current(): number;
}

export function recentCount(windowMs: number): RecentCount {
  const times: number[] = [];
  return {
    add() {
      times.push(performance.now());
    },
    current() {
      const sinceMs = performance.now() - windowMs;
      while (times.length > 0 && (times[0] ?? sinceMs) < sinceMs) times.shift();
      return times.length;
    },
  };
}
