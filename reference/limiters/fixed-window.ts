/** Fixed windows of burst / sustained seconds: from the first request, or aligned to the clock. */

import { windowMs } from "../../contract/plans.ts";
import { ADMITTED, type Decision, type Limiter, type LimiterOptions, refused } from "./limiter.ts";

/** A refused request can't use up what is left of a window: nothing is. */
export class FixedWindow implements Limiter {
  private readonly lengthMs: number;
  private readonly burst: number;
  private readonly aligned: boolean;
  private startMs = Number.NEGATIVE_INFINITY;
  private count = 0;

  constructor(options: LimiterOptions, aligned: boolean) {
    this.lengthMs = windowMs(options);
    this.burst = options.burst;
    this.aligned = aligned;
  }

  take(nowMs: number): Decision {
    if (nowMs >= this.startMs + this.lengthMs) {
      this.startMs = this.aligned ? Math.floor(nowMs / this.lengthMs) * this.lengthMs : nowMs;
      this.count = 0;
    }
    if (this.count < this.burst) {
      this.count += 1;
      return ADMITTED;
    }
    return refused(this.startMs + this.lengthMs - nowMs);
  }
}
