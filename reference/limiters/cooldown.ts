/**
 * Token bucket that bars the key once it has refused: for a second, which is what it tells and by
 * when tokens for a second are there. Allowance goes on growing meanwhile, so that none is lost.
 */

import { windowMs } from "../../contract/plans.ts";
import { type LimiterOptions, refused, type Take } from "./limiter.ts";
import { tokenBucket } from "./token-bucket.ts";

/** Ours: the shortest wait that whole seconds can tell. */
const BARRED_MS = 1_000;

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
