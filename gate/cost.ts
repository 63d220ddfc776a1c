/** What jobs cost, and what is left of a ceiling once they have. */

import type { Budget } from "../contract/run-plan.ts";

/** What jobs cost together; what is known of it. */
export interface Spent {
  jobs: number;
  credits: number;
  usd: number;
}

export const NOTHING_SPENT: Spent = { jobs: 0, credits: 0, usd: 0 };

/** What a run costs a job, as catalogue or answers tell; null where they tell nothing. */
export interface JobPrice {
  credits: number | null;
  usd: number | null;
}

export const UNPRICED: JobPrice = { credits: null, usd: null };

/** What is left of a ceiling once so much has been spent. */
export function budgetLeft(ceiling: Budget | null, spent: Spent): Budget | null {
  if (ceiling === null) return null;
  const left = (unit: keyof Budget) => {
    const most = ceiling[unit];
    return most === null ? null : Math.max(0, most - spent[unit]);
  };
  return { jobs: left("jobs"), credits: left("credits"), usd: left("usd") };
}

/** Jobs of that price that a ceiling has room for; Infinity where nothing bounds them. */
export function jobsAffordable(ceiling: Budget | null, price: JobPrice): number {
  if (ceiling === null) return Number.POSITIVE_INFINITY;
  const rooms = (["credits", "usd"] as const).map((unit) => {
    const [most, each] = [ceiling[unit], price[unit]];
    // Sums of fractions miss whole numbers by a little.
    return most === null || !each ? Number.POSITIVE_INFINITY : Math.floor(most / each + 1e-9);
  });
  return Math.min(ceiling.jobs ?? Number.POSITIVE_INFINITY, ...rooms);
}
