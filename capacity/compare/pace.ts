/** Spaces the reads of jobs out, so that a side's requests stay within its key's plan. */

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** Resolves when one more request may be sent; callers are served in order. */
  turn(signal: AbortSignal): Promise<void>;
}

/** Ours: reads that come together may go out together, a few at a time. */
const AHEAD = 4;

/** A generic cell rate algorithm over absolute times. ITU-T I.371. */
export function paceOf(perSecond: number): Pace {
  const spacingMs = 1_000 / perSecond;
  let theoreticalMs = 0;
  return {
    async turn(signal) {
      const nowMs = performance.now();
      const startMs = Math.max(theoreticalMs, nowMs);
      theoreticalMs = startMs + spacingMs;
      const waitMs = startMs - AHEAD * spacingMs - nowMs;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
  };
}
