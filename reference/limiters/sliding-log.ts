/** Sliding log: at most `burst` requests in any burst / sustained seconds. */

import { windowMs } from "../../contract/plans.ts";
import { ADMITTED, type LimiterOptions, refused, type Take } from "./limiter.ts";

export function slidingLog(options: LimiterOptions): Take {
  const lengthMs = windowMs(options);
  /** Times of the last `burst` counted requests; `next` is the place of the oldest. */
  const times = new Float64Array(options.burst).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  const readyMs = () => (times[next] ?? Number.NEGATIVE_INFINITY) + lengthMs;
  return (nowMs) => {
    const admitted = nowMs >= readyMs();
    if (admitted || options.refusedCount) {
      times[next] = nowMs;
      next = (next + 1) % times.length;
    }
    return admitted ? ADMITTED : refused(readyMs() - nowMs);
  };
}
