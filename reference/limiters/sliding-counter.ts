/** Sliding counter: this window's count plus the last one's, weighted by how much of it is left. */

import { windowMs } from "../../contract/plans.ts";
import {
  ADMITTED,
  type Decision,
  type Limiter,
  type LimiterOptions,
  ROUNDING,
  refused,
} from "./limiter.ts";

export class SlidingCounter implements Limiter {
  private readonly lengthMs: number;
  private readonly options: LimiterOptions;
  private index = Number.NEGATIVE_INFINITY;
  private current = 0;
  private previous = 0;

  constructor(options: LimiterOptions) {
    this.options = options;
    this.lengthMs = windowMs(options);
  }

  take(nowMs: number): Decision {
    this.advance(Math.floor(nowMs / this.lengthMs));
    const elapsed = nowMs / this.lengthMs - this.index;
    const estimate = this.previous * (1 - elapsed) + this.current;
    if (estimate + 1 <= this.options.burst + ROUNDING) {
      this.current += 1;
      return ADMITTED;
    }
    if (this.options.refusedCount) this.current = Math.min(this.current + 1, this.cap());
    return refused(this.waitMs(elapsed));
  }

  /** Ours: starving is bounded, a second burst of refusals is the most that is remembered. */
  private cap(): number {
    return 2 * this.options.burst;
  }

  private advance(index: number): void {
    if (index === this.index) return;
    this.previous = index === this.index + 1 ? this.current : 0;
    this.current = 0;
    this.index = index;
  }

  private waitMs(elapsed: number): number {
    const room = this.options.burst - 1;
    if (this.current <= room) {
      return (1 - (room - this.current) / this.previous - elapsed) * this.lengthMs;
    }
    return (1 - elapsed + (1 - room / this.current)) * this.lengthMs;
  }
}
