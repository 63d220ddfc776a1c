/** Sliding log: at most `burst` requests in any burst / sustained seconds. */

import { windowMs } from "../../contract/plans.ts";
import { ADMITTED, type Decision, type Limiter, type LimiterOptions, refused } from "./limiter.ts";

export class SlidingLog implements Limiter {
  private readonly lengthMs: number;
  private readonly refusedCount: boolean;
  /** Times of the last `burst` counted requests; `next` is the place of the oldest. */
  private readonly times: Float64Array;
  private next = 0;

  constructor(options: LimiterOptions) {
    this.lengthMs = windowMs(options);
    this.refusedCount = options.refusedCount;
    this.times = new Float64Array(options.burst).fill(Number.NEGATIVE_INFINITY);
  }

  take(nowMs: number): Decision {
    const admitted = nowMs >= this.oldest() + this.lengthMs;
    if (admitted || this.refusedCount) this.record(nowMs);
    return admitted ? ADMITTED : refused(this.oldest() + this.lengthMs - nowMs);
  }

  private oldest(): number {
    return this.times[this.next] ?? Number.NEGATIVE_INFINITY;
  }

  private record(nowMs: number): void {
    this.times[this.next] = nowMs;
    this.next = (this.next + 1) % this.times.length;
  }
}
