/** What a run may cost, said before it starts. */

import type { Price } from "../../contract/limits/budget.ts";
import { jobsAffordable } from "../../contract/limits/budget.ts";
import { countText, rounded } from "../../contract/numbers/figures.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import { budgetCeiling } from "../../gate/budget.ts";
import type { JobsPlanned } from "../../gate/options.ts";
import { UsageError } from "../usage-error.ts";

/** "at most 50 jobs, as the target file sets no budget; about 0.50 USD"; null without a ceiling. */
export function budgetLine(target: Target, price: Price): string | null {
  const ceiling = budgetCeiling(target);
  if (ceiling === null) return null;
  const { jobs, credits, usd } = ceiling;
  const limits = [
    ...(jobs === null ? [] : [countText(jobs, "job")]),
    ...(credits === null ? [] : [`${credits} credits`]),
    ...(usd === null ? [] : [`${usd} USD`]),
  ];
  const most = limits.length === 0 ? "no ceiling" : `at most ${limits.join(", ")}`;
  const why = target.budget === null ? ", as the target file sets no budget" : "";
  const total = jobs === null ? [] : amounts(jobs, price);
  return `${most}${why}${total.length === 0 ? "" : `; about ${total.join(", ")} for all of them`}`;
}

/**
 * "this run will submit about 340 jobs, 12 credits, 3.40 USD; up to 680 jobs, 24 credits, 6.80 USD
 * where a check is repeated", within the ceiling.
 */
export function plannedLine(jobs: JobsPlanned, price: Price, ceiling: Budget | null): string {
  const affordable = jobsAffordable(ceiling, price);
  const expected = Math.min(jobs.expected, affordable);
  const most = Math.min(jobs.most, affordable);
  if (most === 0) return "this run will submit no jobs";
  const about = `this run will submit about ${pricedJobs(expected, price)}`;
  if (most === expected) return about;
  return `${about}; up to ${pricedJobs(most, price)} where a check is repeated`;
}

/** Where money or credits are for fewer jobs than the run is to submit; null elsewhere. */
export function shortBudgetText(jobs: JobsPlanned, price: Price, ceiling: Budget | null) {
  const affordable = Math.floor(jobsAffordable(ceiling, price));
  if (affordable >= jobs.expected) return null;
  const needed = pricedJobs(jobs.expected, price);
  return (
    `the budget allows about ${countText(affordable, "job")}, and the checks of this run take ` +
    `about ${needed}: some will tell less, or nothing`
  );
}

function pricedJobs(jobs: number, price: Price): string {
  return [countText(jobs, "job"), ...amounts(jobs, price)].join(", ");
}

function amounts(jobs: number, { credits, usd }: Price): readonly string[] {
  return [
    ...(credits === null ? [] : [`${rounded(jobs * credits, 2)} credits`]),
    ...(usd === null ? [] : [`${(jobs * usd).toFixed(2)} USD`]),
  ];
}

/** What takes as many jobs as it needs has to have a budget: throws UsageError. */
export function needsBudget(what: string, { embedded, budget }: Target): void {
  if (embedded || budget !== null) return;
  const problem = `${what} needs a budget; expected budget: { jobs: ... } in the file`;
  throw new UsageError("invalid-target-file", [problem]);
}
