/** What a run may cost, said before it starts. */

import type { RunPlan } from "../contract/run-plan.ts";
import type { Target } from "../contract/target.ts";
import { budgetCeiling } from "../gate/budget.ts";
import { UsageError } from "./usage-error.ts";

/** "at most 50 jobs, as the target file sets no budget; about 0.50 USD"; null without a ceiling. */
export function budgetLine(target: Target, pricePerJobUsd: number | null): string | null {
  const ceiling = budgetCeiling(target);
  if (ceiling === null) return null;
  const { jobs, credits, usd } = ceiling;
  const limits = [
    ...(jobs === null ? [] : [`${jobs} jobs`]),
    ...(credits === null ? [] : [`${credits} credits`]),
    ...(usd === null ? [] : [`${usd} USD`]),
  ];
  const most = limits.length === 0 ? "no ceiling" : `at most ${limits.join(", ")}`;
  const why = target.budget === null ? ", as the target file sets no budget" : "";
  const total = jobs === null || pricePerJobUsd === null ? null : jobs * pricePerJobUsd;
  return `${most}${why}${total === null ? "" : `; about ${total.toFixed(2)} USD for all of them`}`;
}

/** "this run will submit about 340 jobs, at about 3.40 USD". */
export function plannedLine(jobs: number, pricePerJobUsd: number | null): string {
  if (jobs === 0) return "this run will submit no jobs";
  const usd = pricePerJobUsd === null ? null : (jobs * pricePerJobUsd).toFixed(2);
  return `this run will submit about ${jobs} jobs${usd === null ? "" : `, at about ${usd} USD`}`;
}

/** A soak without a budget would be an open bill: throws UsageError. */
export function checkBudget(profile: RunPlan["profile"], target: Target): void {
  if (profile !== "soak" || target.embedded || target.budget !== null) return;
  const problem = "the soak profile needs a budget; expected budget: { jobs: ... } in the file";
  throw new UsageError("invalid-target-file", [problem]);
}
