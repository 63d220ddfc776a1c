/** Counts jobs and money against ceilings: the one budget of all who submit. Pure. */

import { isAmount } from "../decode/decoded.ts";
import { greaterOf } from "../numbers/figures.ts";
import type { Budget } from "../run/run-plan.ts";

export const UNITS = ["jobs", "credits", "usd"] as const;
export type Unit = (typeof UNITS)[number];

/** What jobs cost together; what is known of it. */
export type Spent = Readonly<Record<Unit, number>>;

/** What one job may cost; null in a unit in which nobody has stated a price. */
export interface Price {
  credits: number | null;
  usd: number | null;
}

export const NOTHING_SPENT: Spent = { jobs: 0, credits: 0, usd: 0 };
export const UNPRICED: Price = { credits: null, usd: null };

/** Ours: finer than any price. Sums of decimal prices in binary fractions miss by less. */
const STEPS_A_UNIT = 1e9;

/**
 * The decimal amount that a sum or difference of decimal amounts stands for. Of what is more than
 * can be written, the most that can: JSON has no infinity, and it would be read as nothing.
 */
export function exact(amount: number): number {
  const steps = amount * STEPS_A_UNIT;
  if (Number.isFinite(steps)) return Math.round(steps) / STEPS_A_UNIT;
  return Math.min(Math.max(amount, -Number.MAX_VALUE), Number.MAX_VALUE);
}

function byUnit(amount: (unit: Unit) => number): Spent {
  return { jobs: amount("jobs"), credits: amount("credits"), usd: amount("usd") };
}

export function sumOf(a: Spent, b: Spent): Spent {
  return byUnit((unit) => exact(a[unit] + b[unit]));
}

export function differenceOf(a: Spent, b: Spent): Spent {
  return byUnit((unit) => exact(a[unit] - b[unit]));
}

export function largerOf(a: Spent, b: Spent): Spent {
  return byUnit((unit) => Math.max(a[unit], b[unit]));
}

/** What is held for one job; what is not known is not guessed at. */
export function estimateOf({ credits, usd }: Price): Spent {
  return { jobs: 1, credits: credits ?? 0, usd: usd ?? 0 };
}

/** What so many more jobs will cost if they cost what the ones before did. */
export function costOfMore(spent: Spent, jobs: number): Spent {
  const share = spent.jobs === 0 ? 0 : jobs / spent.jobs;
  return { jobs, credits: exact(spent.credits * share), usd: exact(spent.usd * share) };
}

/** Why no more jobs are submitted, which says nothing of the service. */
export const BUDGET_ENDED = "the budget allows no more jobs";

/** `later`: once a job that is on its way has told what its worker costs. */
export type Room = "room" | "later" | "none";

/**
 * Whether one more job fits into one unit. Of a price that nobody has stated (null), one job at a
 * time may tell, as long as anything is left: `isUntold` while such a job is out.
 */
export function roomFor(
  ceiling: number | null,
  spent: number,
  price: number | null,
  isUntold: boolean,
): Room {
  if (ceiling === null) return "room";
  const isFull = price === null ? spent >= ceiling : exact(spent + price) > exact(ceiling);
  if (isFull) return "none";
  return isUntold ? "later" : "room";
}

/** Whether all that comes next fits into what a ceiling leaves. */
export function affords(ceiling: Budget | null, spent: Spent, next: Spent): boolean {
  return UNITS.every(
    (unit) => roomFor(ceiling?.[unit] ?? null, spent[unit], next[unit], false) === "room",
  );
}

/** What is left of a ceiling; null where there is none. */
export function leftOf(ceiling: Budget | null, spent: Spent): Budget {
  const left = (unit: Unit) => {
    const most = ceiling?.[unit] ?? null;
    return most === null ? null : Math.max(0, exact(most - spent[unit]));
  };
  return { jobs: left("jobs"), credits: left("credits"), usd: left("usd") };
}

/** Jobs of one price that an amount has room for; Infinity where nothing bounds them. */
export function jobsWithin(left: number | null, price: number | null): number {
  if (left === null || price === null || price === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(exact(left / price)));
}

export function jobsAffordable(ceiling: Budget | null, { credits, usd }: Price): number {
  if (ceiling === null) return Number.POSITIVE_INFINITY;
  const byPrice = [jobsWithin(ceiling.credits, credits), jobsWithin(ceiling.usd, usd)];
  return Math.min(ceiling.jobs ?? Number.POSITIVE_INFINITY, ...byPrice);
}

/** The dearer of two prices, unit by unit; one that nobody has stated says nothing. */
export function dearerOf(a: Price, b: Price): Price {
  return { credits: greaterOf(a.credits, b.credits), usd: greaterOf(a.usd, b.usd) };
}

/** What was stated; null where it is no amount: then it is not known, and what is held stays. */
export function amountIn(stated: number | null | undefined): number | null {
  return isAmount(stated) ? stated : null;
}
