/** Counts each submission against the budget before it is sent: the ceiling is never crossed. */

import type { Budget } from "../../contract/run-plan.ts";

export interface Spending {
  /** Takes one job of that price out of the budget; false where that would cross the ceiling. */
  take(priceUsd: number): boolean;
  /** Jobs that may still be submitted; Infinity without a ceiling. */
  left(): number;
  /** Adds what a job was seen to cost. */
  charge(credits: number | null, usd: number | null): void;
  /** Counts a job that nobody meant to start. */
  surprise(): void;
  spent(): { jobs: number; credits: number; usd: number };
  /** True once a submission was refused for the budget. */
  exhausted(): boolean;
}

/**
 * Prices are known in USD before a job runs, and its credits afterwards; so the ceiling in credits
 * is kept by stopping as soon as what was charged, and the dearest job again, would reach it.
 */
export function spendingOf(budget: Budget): Spending {
  const charged = { credits: 0, usd: 0 };
  let jobs = 0;
  let estimatedUsd = 0;
  let dearestCredits = 0;
  let stopped = false;
  const fits = (priceUsd: number) =>
    (budget.jobs === null || jobs < budget.jobs) &&
    (budget.usd === null || Math.max(estimatedUsd, charged.usd) + priceUsd <= budget.usd) &&
    (budget.credits === null || charged.credits + dearestCredits <= budget.credits);
  return {
    take(priceUsd) {
      if (!fits(priceUsd)) {
        stopped = true;
        return false;
      }
      jobs += 1;
      estimatedUsd += priceUsd;
      return true;
    },
    left: () => (budget.jobs === null ? Number.POSITIVE_INFINITY : Math.max(0, budget.jobs - jobs)),
    charge(credits, usd) {
      charged.credits += credits ?? 0;
      charged.usd += usd ?? 0;
      dearestCredits = Math.max(dearestCredits, credits ?? 0);
    },
    surprise() {
      jobs += 1;
    },
    spent: () => ({ jobs, credits: charged.credits, usd: Math.max(charged.usd, estimatedUsd) }),
    exhausted: () => stopped,
  };
}
