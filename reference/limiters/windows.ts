/** Limiters that count the requests of a window, which is burst / sustained seconds long. */

import { windowMs } from "../../contract/plans.ts";
import type { LimiterOptions, Take } from "./limiter.ts";
import { ADMITTED, ROUNDING, refused } from "./limiter.ts";

/**
 * From the first request, or aligned to the clock. A refused request can't use up what is left of
 * a window: nothing is.
 */
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

/** Sliding log: at most `burst` requests in any burst / sustained seconds. */
export function slidingLog(options: LimiterOptions): Take {
  const lengthMs = windowMs(options);
  /** Times of the last `burst` counted requests; `next` is the place of the oldest. */
  const times = new Float64Array(options.burst).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  const readyMs = () => (times[next] ?? Number.NEGATIVE_INFINITY) + lengthMs;
  return (nowMs) => {
    const admitted = nowMs >= readyMs();
    if (admitted || options.refusedCount) {
      times[next] = nowMs;
      next = (next + 1) % times.length;
    }
    return admitted ? ADMITTED : refused(readyMs() - nowMs);
  };
}

/** Sliding counter: this window's count plus the last one's, weighted by how much of it is left. */
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
