/** Token bucket that is refilled once a second, by whole tokens, at the machine's full second. */

import { ADMITTED, type LimiterOptions, refused, type Take } from "./limiter.ts";

const TICK_MS = 1_000;

/** Refused requests that count are owed, up to a second burst. */
export function tickingBucket({ sustained, burst, refusedCount }: LimiterOptions): Take {
  let [level, tick] = [burst, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    const now = Math.floor(nowMs / TICK_MS);
    if (now > tick) level = Math.min(burst, level + (now - tick) * sustained);
    tick = Math.max(tick, now);
    if (level < 1) {
      if (refusedCount) level = Math.max(-burst, level - 1);
      return refused((tick + Math.ceil((1 - level) / sustained)) * TICK_MS - nowMs);
    }
    level -= 1;
    return ADMITTED;
  };
}
