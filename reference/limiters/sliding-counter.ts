/** Sliding counter: this window's count plus the last one's, weighted by how much of it is left. */

import { windowMs } from "../../contract/plans.ts";
import { ADMITTED, type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

export function slidingCounter(options: LimiterOptions): Take {
  const { burst, refusedCount } = options;
  const lengthMs = windowMs(options);
  /** Ours: starving is bounded, a second burst of refusals is the most that is remembered. */
  const cap = 2 * burst;
  let index = Number.NEGATIVE_INFINITY;
  let [current, previous] = [0, 0];
  const waitMs = (elapsed: number) => {
    const room = burst - 1;
    if (current <= room) return (1 - (room - current) / previous - elapsed) * lengthMs;
    return (1 - elapsed + (1 - room / current)) * lengthMs;
  };
  return (nowMs) => {
    const now = Math.floor(nowMs / lengthMs);
    if (now !== index) [previous, current] = [now === index + 1 ? current : 0, 0];
    index = now;
    const elapsed = nowMs / lengthMs - index;
    if (previous * (1 - elapsed) + current + 1 <= burst + ROUNDING) {
      current += 1;
      return ADMITTED;
    }
    if (refusedCount) current = Math.min(current + 1, cap);
    return refused(waitMs(elapsed));
  };
}
