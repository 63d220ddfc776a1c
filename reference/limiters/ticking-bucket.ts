/** Token bucket that is refilled in ticks of the machine's clock, by what each has earned. */

import { ADMITTED, type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

/** `tickMs`: from one refill to the next. Refused requests that count are owed, up to a burst. */
export const tickingBucket =
  (tickMs: number) =>
  ({ sustained, burst, refusedCount }: LimiterOptions): Take => {
    const perTick = (sustained * tickMs) / 1_000;
    let [level, tick] = [burst, Number.NEGATIVE_INFINITY];
    return (nowMs) => {
      const now = Math.floor(nowMs / tickMs);
      if (now > tick) level = Math.min(burst, level + (now - tick) * perTick);
      tick = Math.max(tick, now);
      if (level < 1 - ROUNDING) {
        if (refusedCount) level = Math.max(-burst, level - 1);
        return refused((tick + Math.ceil((1 - level) / perTick - ROUNDING)) * tickMs - nowMs);
      }
      level -= 1;
      return ADMITTED;
    };
  };
