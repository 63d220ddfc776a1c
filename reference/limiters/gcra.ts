/** Generic cell rate algorithm: one theoretical arrival time in place of a bucket. */

import { ADMITTED, type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

export function gcra({ sustained, burst, refusedCount }: LimiterOptions): Take {
  const intervalMs = 1000 / sustained;
  const toleranceMs = (burst - 1) * intervalMs;
  let nextMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    const arrivalMs = Math.max(nextMs, nowMs);
    if (arrivalMs - toleranceMs <= nowMs + intervalMs * ROUNDING) {
      nextMs = arrivalMs + intervalMs;
      return ADMITTED;
    }
    // A refusal moves the arrival on, by no more than a second burst.
    const latestMs = nowMs + toleranceMs + burst * intervalMs;
    if (refusedCount) nextMs = Math.min(arrivalMs + intervalMs, latestMs);
    return refused(Math.max(arrivalMs, nextMs) - toleranceMs - nowMs);
  };
}
