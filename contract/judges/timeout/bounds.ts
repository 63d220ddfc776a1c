/** How far from its limit a run may end, in real milliseconds of this target. */

import type { PromisedTimes } from "../../run/run-plan.ts";

export interface LimitBounds {
  /** The limit as the worker states it. Spec §2.3. */
  limitSeconds: number;
  limitMs: number;
  earlyMs: number;
  lateMs: number;
}

/** Bounds for a worker's `timeout_seconds`. */
export function boundsOf(
  limitSeconds: number,
  { secondMs, limitTolerance }: PromisedTimes,
): LimitBounds {
  const { earlyMs, lateMs, lateShare } = limitTolerance;
  const limitMs = limitSeconds * secondMs;
  return { limitSeconds, limitMs, earlyMs, lateMs: Math.max(lateMs, lateShare * limitMs) };
}
