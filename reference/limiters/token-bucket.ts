/** Token bucket: holds `burst` tokens, refilled evenly at `sustained` a second. */

import {
  ADMITTED,
  type Decision,
  type Limiter,
  type LimiterOptions,
  ROUNDING,
  refused,
} from "./limiter.ts";

export class TokenBucket implements Limiter {
  private readonly perMs: number;
  private readonly options: LimiterOptions;
  private level: number;
  private filledAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LimiterOptions) {
    this.options = options;
    this.perMs = options.sustained / 1000;
    this.level = options.burst;
  }

  take(nowMs: number): Decision {
    const { burst, refusedCount } = this.options;
    if (this.filledAtMs !== Number.NEGATIVE_INFINITY) {
      const refill = Math.max(0, nowMs - this.filledAtMs) * this.perMs;
      this.level = Math.min(burst, this.level + refill);
    }
    this.filledAtMs = nowMs;
    if (this.level >= 1 - ROUNDING) {
      this.level -= 1;
      return ADMITTED;
    }
    if (refusedCount) this.level = Math.max(-burst, this.level - 1);
    return refused((1 - this.level) / this.perMs);
  }
}
