/** What every rate limiter of the service has in common. */

import type { RateLimit } from "../../contract/plans.ts";

export interface Decision {
  admitted: boolean;
  /** Shortest silence after which a request is admitted; 0 for an admitted one. */
  waitMs: number;
  /** For how long an admitted request is held back; left out: not at all. */
  delayMs?: number;
}

/** Takes the time as an argument, so that its arithmetic can be tested to the last request. */
export interface Limiter {
  take: Take;
}

export type Take = (nowMs: number) => Decision;

export interface LimiterOptions extends RateLimit {
  /** A refused request uses up allowance, too. */
  refusedCount: boolean;
}

export const ADMITTED: Decision = { admitted: true, waitMs: 0 };

export function refused(waitMs: number): Decision {
  return { admitted: false, waitMs };
}

/** Ours: sums of fractions miss whole numbers by about this much. */
export const ROUNDING = 1e-9;
