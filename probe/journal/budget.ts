/** The hard ceiling of a day and a month, over restarts. Pure. */

import type { Budget } from "../../contract/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { Canary } from "../canary/canary.ts";

export interface Spent {
  jobs: number;
  credits: number;
  usd: number;
}

export const NOTHING_SPENT: Spent = { jobs: 0, credits: 0, usd: 0 };

export const SPANS = ["day", "month"] as const;
export type Span = (typeof SPANS)[number];

export type Ceilings = Readonly<Record<Span, Budget | null>>;

export const UNITS = ["jobs", "credits", "usd"] as const;

/** What a job may cost; null in a unit of which nobody has stated a price yet. */
export interface Price {
  credits: number | null;
  usd: number | null;
}

/** Ours: sums of decimal prices in binary fractions differ in the last places. */
const ROUNDING = 1e-9;

/** Why the next job would cross a ceiling, in a sentence; null when it would not. */
export function refusalOf(
  ceilings: Ceilings,
  spent: Readonly<Record<Span, Spent>>,
  next: Spent,
): string | null {
  for (const span of SPANS) {
    for (const unit of UNITS) {
      const ceiling = ceilings[span]?.[unit] ?? null;
      const total = spent[span][unit] + next[unit];
      if (ceiling === null || total <= ceiling + ROUNDING) continue;
      return `${rounded(spent[span][unit])} ${unit} spent this ${span}; the budget is ${ceiling}`;
    }
  }
  return null;
}

/**
 * Why a job of unknown price must wait: until a worker's first one has stated what it costs there
 * is no more than one a day, and none where nothing is left.
 */
export function refusalOfUnpriced(
  ceilings: Ceilings,
  spent: Readonly<Record<Span, Spent>>,
  price: Price,
  unpriced: () => number,
): string | null {
  for (const span of SPANS) {
    for (const unit of ["credits", "usd"] as const) {
      const ceiling = ceilings[span]?.[unit] ?? null;
      // What has a price in one unit has none in the other. Spec §1.4.
      const isPriced = price.credits !== null || price.usd !== null;
      if (ceiling === null || isPriced) continue;
      if (unpriced() > 0) return `a job's price in ${unit} is not known before one has stated it`;
      if (spent[span][unit] < ceiling) continue;
      return `${rounded(spent[span][unit])} ${unit} spent this ${span}; the budget is ${ceiling}`;
    }
  }
  return null;
}

function rounded(amount: number): number {
  return Number(amount.toFixed(6));
}

/** What is left of each ceiling; null where there is none. */
export function leftOf(ceiling: Budget | null, spent: Spent): Budget {
  const left = (unit: keyof Spent) => {
    const most = ceiling?.[unit] ?? null;
    return most === null ? null : Math.max(0, most - spent[unit]);
  };
  return { jobs: left("jobs"), credits: left("credits"), usd: left("usd") };
}

export function sumOf(a: Spent, b: Spent): Spent {
  return { jobs: a.jobs + b.jobs, credits: a.credits + b.credits, usd: a.usd + b.usd };
}

export function differenceOf(a: Spent, b: Spent): Spent {
  return { jobs: a.jobs - b.jobs, credits: a.credits - b.credits, usd: a.usd - b.usd };
}

/** Start of the day or month of that time, in UTC. */
export function startOf(span: Span, atMs: number): number {
  const date = new Date(atMs);
  const day = span === "day" ? date.getUTCDate() : 1;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day);
}

const DAY_MS = 86_400_000;
/** Ours: no schedule needs more; it stops a probe that a fault makes submit without end. */
const RUNAWAY_FACTOR = 1.2;
const DAYS_A_MONTH_MAX = 31;

/** The target's ceilings; without any, what the canaries' own intervals come to, and some. */
export function ceilingsOf(target: Target, canaries: readonly Canary[]): Ceilings {
  const given = target.probe?.budget ?? { day: null, month: null };
  if (given.day !== null || given.month !== null) return given;
  if (target.budget !== null) return { day: target.budget, month: null };
  const daily = canaries.reduce((sum, { everyMs }) => sum + DAY_MS / everyMs, 0);
  const jobs = Math.ceil(daily * RUNAWAY_FACTOR);
  return {
    day: { jobs, credits: null, usd: null },
    month: { jobs: jobs * DAYS_A_MONTH_MAX, credits: null, usd: null },
  };
}
