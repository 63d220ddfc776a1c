/** How many jobs, or requests, a second the plans of keys have room for. Spec §8. */

import type { CapacitySubject } from "./capacity-step.ts";
import { UNDECLARED_PER_SECOND } from "./plans.ts";
import type { PlanKey } from "./run-plan.ts";

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

/** Steps offered a second at the most, with all of the keys together. */
export function planRate(
  keys: readonly Pick<PlanKey, "sustained">[],
  of: CapacitySubject,
  hasWebhooks: boolean,
): number {
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  if (of === "requests") return total;
  return total / (hasWebhooks ? REQUESTS_A_JOB.withWebhooks : REQUESTS_A_JOB.withPolls);
}
