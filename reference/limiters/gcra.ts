/** Generic cell rate algorithm: one theoretical arrival time in place of a bucket. */

import {
  ADMITTED,
  type Decision,
  type Limiter,
  type LimiterOptions,
  ROUNDING,
  refused,
} from "./limiter.ts";

export class Gcra implements Limiter {
  private readonly intervalMs: number;
  private readonly toleranceMs: number;
  private readonly options: LimiterOptions;
  private arrivalMs = Number.NEGATIVE_INFINITY;

  constructor(options: LimiterOptions) {
    this.options = options;
    this.intervalMs = 1000 / options.sustained;
    this.toleranceMs = (options.burst - 1) * this.intervalMs;
  }

  take(nowMs: number): Decision {
    const arrivalMs = Math.max(this.arrivalMs, nowMs);
    if (arrivalMs - this.toleranceMs <= nowMs + this.intervalMs * ROUNDING) {
      this.arrivalMs = arrivalMs + this.intervalMs;
      return ADMITTED;
    }
    if (this.options.refusedCount) this.arrivalMs = this.starved(arrivalMs, nowMs);
    return refused(Math.max(arrivalMs, this.arrivalMs) - this.toleranceMs - nowMs);
  }

  /** A refusal moves the arrival on, by no more than a second burst. */
  private starved(arrivalMs: number, nowMs: number): number {
    const latestMs = nowMs + this.toleranceMs + this.options.burst * this.intervalMs;
    return Math.min(arrivalMs + this.intervalMs, latestMs);
  }
}
