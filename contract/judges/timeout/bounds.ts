/** How far from its limit a run may end, in real milliseconds of this target. */

import type { Tolerances } from "../../run-plan.ts";

export interface LimitBounds {
  /** The limit as the worker states it. Spec §2.3. */
  limitSeconds: number;
  /** The limit on this target's clocks. */
  limitMs: number;
  earlyMs: number;
  lateMs: number;
}

/** Bounds for a worker's `timeout_seconds` on a target whose clocks run at `timeScale`. */
export function boundsOf(
  limitSeconds: number,
  tolerances: Tolerances,
  timeScale: number,
): LimitBounds {
  const statedMs = limitSeconds * 1_000;
  const lateMs = Math.max(tolerances.timeoutLateMs, tolerances.timeoutLateShare * statedMs);
  return {
    limitSeconds,
    limitMs: statedMs * timeScale,
    earlyMs: tolerances.timeoutEarlyMs * timeScale,
    lateMs: lateMs * timeScale,
  };
}
