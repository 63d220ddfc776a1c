/** Measures how late this scenario's own event loop is, while it runs. */

import { delay, now } from "./clock.ts";

/** Ours: often enough for a percentile within seconds, and no load of its own. */
const BEAT_MS = 20;
const PERCENTILE = 0.99;
/** Ours: an hour's worth; older beats say nothing of now. */
const BEATS_MAX = 180_000;

export interface Heartbeat {
  /** 99th percentile of how late a timer fired, in ms. */
  lagMs(): number;
  stop(): void;
}

export function startHeartbeat(): Heartbeat {
  const late: number[] = [];
  let running = true;
  const beat = async (): Promise<void> => {
    while (running && late.length < BEATS_MAX) {
      const startMs = now();
      await delay(BEAT_MS);
      late.push(now() - startMs - BEAT_MS);
    }
  };
  void beat();
  return {
    lagMs() {
      const sorted = [...late].sort((a, b) => a - b);
      return Math.max(0, sorted[Math.floor(sorted.length * PERCENTILE)] ?? 0);
    },
    stop() {
      running = false;
    },
  };
}
