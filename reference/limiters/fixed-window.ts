/** Fixed windows of burst / sustained seconds: from the first request, or aligned to the clock. */

import { windowMs } from "../../contract/plans.ts";
import { ADMITTED, type LimiterOptions, refused, type Take } from "./limiter.ts";

/** A refused request can't use up what is left of a window: nothing is. */
export function fixedWindow(options: LimiterOptions, aligned: boolean): Take {
  const lengthMs = windowMs(options);
  let [startMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return (nowMs) => {
    if (nowMs >= startMs + lengthMs) {
      startMs = aligned ? Math.floor(nowMs / lengthMs) * lengthMs : nowMs;
      count = 0;
    }
    if (count >= options.burst) return refused(startMs + lengthMs - nowMs);
    count += 1;
    return ADMITTED;
  };
}
