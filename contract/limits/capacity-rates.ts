/** How many jobs, or requests, a second the plans of keys have room for. Spec §8. */

import { declaredLimit, PLAN_LIMITS, UNDECLARED_PER_SECOND, windowMs } from "../plans.ts";
import type { CapacitySubject } from "../run/capacity-step.ts";
import type { PlanKey } from "../run/run-plan.ts";

/**
 * Ours: an even 0.95 of the sustained rate is within any lawful limiter (promise
 * rate.within-plan); the rest is for the odd poll of a job.
 */
const PLAN_SHARE = 0.9;
/**
 * Ours: with webhooks a submission, and a poll for one job in twenty that is overdue; without them
 * most jobs are asked for once or twice.
 */
const REQUESTS_A_JOB = { withWebhooks: 1.05, withPolls: 3 };

/** Requests per second that a key may send in a search that keeps to its plan. */
export function keyRate({ sustained }: Pick<PlanKey, "sustained">): number {
  return sustained === null ? UNDECLARED_PER_SECOND : sustained * PLAN_SHARE;
}

/** Requests that are sent for a job, or for a request. */
export function requestsEach(of: CapacitySubject, hasWebhooks: boolean): number {
  if (of === "requests") return 1;
  return hasWebhooks ? REQUESTS_A_JOB.withWebhooks : REQUESTS_A_JOB.withPolls;
}

/** Ours: a step can wait for no longer window; the fixed plans have 2 s. */
const WINDOW_MS_MAX = 20_000;

/** Time in which limiters of these plans forget a burst; undeclared ones as the fixed plans do. */
export function forgottenWithinMs(keys: readonly Pick<PlanKey, "sustained" | "burst">[]): number {
  const windows = keys.map((key) => windowMs(declaredLimit(key) ?? PLAN_LIMITS.pro));
  return Math.min(WINDOW_MS_MAX, Math.max(...windows));
}

/** Steps offered a second at the most, with all of the keys together. */
export function planRate(
  keys: readonly Pick<PlanKey, "sustained">[],
  of: CapacitySubject,
  hasWebhooks: boolean,
): number {
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  return total / requestsEach(of, hasWebhooks);
}
