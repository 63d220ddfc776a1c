/** Limiters that save allowance up, evenly or in ticks, and spend it by the request. */

import { windowMs } from "../../contract/plans.ts";
import type { LimiterOptions, Take } from "./limiter.ts";
import { ADMITTED, ROUNDING, refused } from "./limiter.ts";

/** Holds `burst` tokens, refilled evenly at `sustained` a second. */
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

/** Generic cell rate algorithm: one theoretical arrival time in place of a bucket. */
export function gcra({ sustained, burst, refusedCount }: LimiterOptions): Take {
  const intervalMs = 1000 / sustained;
  const toleranceMs = (burst - 1) * intervalMs;
  let nextMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    const arrivalMs = Math.max(nextMs, nowMs);
    if (arrivalMs - toleranceMs <= nowMs + intervalMs * ROUNDING) {
      nextMs = arrivalMs + intervalMs;
      return ADMITTED;
    }
    // A refusal moves the arrival on, by no more than a second burst.
    const latestMs = nowMs + toleranceMs + burst * intervalMs;
    if (refusedCount) nextMs = Math.min(arrivalMs + intervalMs, latestMs);
    return refused(Math.max(arrivalMs, nextMs) - toleranceMs - nowMs);
  };
}

/**
 * Refilled in ticks of the machine's clock, by what each has earned. `tickMs`: from one refill to
 * the next. Refused requests that count are owed, up to a burst.
 */
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

/** Ours: the shortest wait that whole seconds can tell. */
const BARRED_MS = 1_000;

/**
 * Bars the key once it has refused: for a second, which is what it tells and by when tokens for a
 * second are there. Allowance goes on growing meanwhile, so that none is lost.
 */
export function cooldown(options: LimiterOptions): Take {
  // The bar is what a refused request costs, whether such count or not.
  const take = tokenBucket({ ...options, refusedCount: false });
  // A bucket that is full before the bar is lifted would admit less than the plan.
  const barredMs = Math.min(BARRED_MS, windowMs(options) / 2);
  let barredUntilMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs < barredUntilMs) return refused(barredUntilMs - nowMs);
    const decision = take(nowMs);
    if (decision.admitted) return decision;
    barredUntilMs = nowMs + Math.max(barredMs, decision.waitMs);
    return refused(barredUntilMs - nowMs);
  };
}
