/** Token bucket: holds `burst` tokens, refilled evenly at `sustained` a second. */

import { ADMITTED, type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

export function tokenBucket({ sustained, burst, refusedCount }: LimiterOptions): Take {
  const perMs = sustained / 1000;
  let level = burst;
  let filledAtMs: number | null = null;
  return (nowMs) => {
    const refill = Math.max(0, nowMs - (filledAtMs ?? nowMs)) * perMs;
    level = Math.min(burst, level + refill);
    filledAtMs = nowMs;
    if (level >= 1 - ROUNDING) {
      level -= 1;
      return ADMITTED;
    }
    if (refusedCount) level = Math.max(-burst, level - 1);
    return refused((1 - level) / perMs);
  };
}
