/** Splits what a run may spend among its scenarios. */

import type { PromiseId } from "../contract/promises.ts";
import { groupOf } from "../contract/promises.ts";
import type { Budget } from "../contract/run-plan.ts";
import type { Target } from "../contract/target.ts";

/** Jobs that a target without a budget of its own is given at the most. Source: promises.md. */
const DEFAULT_JOBS = 50;

const UNLIMITED: Budget = { jobs: null, credits: null, usd: null };

/** Groups whose promises are judged on jobs. */
const JOB_GROUPS: readonly string[] = ["submit", "job", "timeout", "cancel", "webhook", "load"];

/** Ours: submissions beyond the limit that one promise needs; the design allows five. */
const REJECTED_NOT_RUN_JOBS = 5;

/** The ceiling over the whole run; null for none, which only the embedded service has. */
export function budgetCeiling(target: Target): Budget | null {
  if (target.budget !== null) return target.budget;
  return target.embedded ? null : { ...UNLIMITED, jobs: DEFAULT_JOBS };
}

/** Shares of the ceiling, in the order given, by how much each set of promises submits. */
export function shareBudget(
  ceiling: Budget | null,
  promises: readonly (readonly PromiseId[])[],
): Budget[] {
  if (ceiling === null) return promises.map(() => UNLIMITED);
  const needs = promises.map((ids) => ids.reduce((sum, id) => sum + jobNeed(id), 0));
  const total = needs.reduce((sum, need) => sum + need, 0);
  return needs.map((need) => {
    const share = total === 0 ? 0 : need / total;
    return {
      jobs: ceiling.jobs === null ? null : Math.floor(ceiling.jobs * share),
      credits: ceiling.credits === null ? null : ceiling.credits * share,
      usd: ceiling.usd === null ? null : ceiling.usd * share,
    };
  });
}

function jobNeed(id: PromiseId): number {
  if (id === "rate.rejected-not-run") return REJECTED_NOT_RUN_JOBS;
  return JOB_GROUPS.includes(groupOf(id)) ? 1 : 0;
}

/** Sum of budgets; a quantity without a ceiling in any of them has none in the sum. */
export function sumBudgets(budgets: readonly Budget[]): Budget {
  const sum = (pick: (budget: Budget) => number | null) =>
    budgets.reduce<number | null>((total, budget) => {
      const value = pick(budget);
      return total === null || value === null ? null : total + value;
    }, 0);
  return { jobs: sum((b) => b.jobs), credits: sum((b) => b.credits), usd: sum((b) => b.usd) };
}
