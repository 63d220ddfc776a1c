/** The hard ceiling of a day and a month, over restarts. Pure. */

import type { Price, Spent, Unit } from "../../contract/limits/budget.ts";
import { estimateOf, roomFor, UNITS } from "../../contract/limits/budget.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { Canary } from "../canary/canary.ts";

export const SPANS = ["day", "month"] as const;
export type Span = (typeof SPANS)[number];

/** What was spent since that time. */
export interface Sum {
  startMs: number;
  spent: Spent;
}

/** What was spent since the start of each span. */
export type Sums = Readonly<Record<Span, Sum>>;

export type Ceilings = Readonly<Record<Span, Budget | null>>;

/**
 * Why the next job of a worker must wait, in a sentence; null when it need not. `unpriced` tells
 * how many of the worker's jobs of today have not stated yet what they cost.
 */
export function refusalOf(
  ceilings: Ceilings,
  spent: Readonly<Record<Span, Spent>>,
  price: Price,
  unpriced: () => number,
): string | null {
  // What has a price in one unit has none in the other. Spec §1.4.
  const isPriced = price.credits !== null || price.usd !== null;
  const next: Record<Unit, number | null> = isPriced ? estimateOf(price) : { ...price, jobs: 1 };
  for (const span of SPANS) {
    for (const unit of UNITS) {
      const ceiling = ceilings[span]?.[unit] ?? null;
      if (ceiling === null) continue;
      const amount = next[unit];
      const room = roomFor(ceiling, spent[span][unit], amount, amount === null && unpriced() > 0);
      if (room === "later") return `a job's price in ${unit} is not known before one has stated it`;
      if (room === "room") continue;
      return `${rounded(spent[span][unit])} ${unit} spent this ${span}; the budget is ${ceiling}`;
    }
  }
  return null;
}

function rounded(amount: number): number {
  return Number(amount.toFixed(6));
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

/** Whether somebody set a ceiling; without one, what is spent is bounded against runaways alone. */
function isBudgeted({ probe, budget }: Target): boolean {
  const given = probe?.budget ?? { day: null, month: null };
  return given.day !== null || given.month !== null || budget !== null;
}

/**
 * Why the ceilings count as reached though nobody knows what was spent, in a sentence; null when
 * it is known, or no ceiling was set.
 */
export function unknownSpendingOf(
  target: Target,
  { unknownSpending: why }: { unknownSpending: string | null },
): string | null {
  if (why === null || !isBudgeted(target)) return null;
  return `the budget counts as spent: ${why}; go on with --accept-unknown-spending`;
}

/** When canaries came into use, and what was spent by then. */
export interface PlanStart {
  atMs: number;
  spent: Readonly<Record<Span, Spent>>;
}

/** What the canaries' own intervals come to. */
export function jobsADay(canaries: readonly Canary[]): number {
  return canaries.reduce((sum, { everyMs }) => sum + DAY_MS / everyMs, 0);
}

/** The target's ceilings; without any, what the canaries' own intervals come to, and some. */
export function ceilingsOf(
  target: Target,
  canaries: readonly Canary[],
  start: PlanStart,
  nowMs: number,
): Ceilings {
  const given = target.probe?.budget ?? { day: null, month: null };
  if (given.day !== null || given.month !== null) return given;
  if (target.budget !== null) return { day: target.budget, month: null };
  const daily = RUNAWAY_FACTOR * jobsADay(canaries);
  const jobs = Math.ceil(daily);
  const before = (span: Span) => spentByOthers(span, daily, start, nowMs);
  return {
    day: { jobs: jobs + before("day"), credits: null, usd: null },
    month: { jobs: jobs * DAYS_A_MONTH_MAX + before("month"), credits: null, usd: null },
  };
}

/**
 * Jobs of the span beyond what these canaries may have had: others spent them, at shorter
 * intervals, and what is left for these is no less for it.
 */
function spentByOthers(
  span: Span,
  daily: number,
  { atMs, spent }: PlanStart,
  nowMs: number,
): number {
  const startMs = startOf(span, atMs);
  if (startOf(span, nowMs) !== startMs) return 0;
  const own = Math.floor((daily * (atMs - startMs)) / DAY_MS);
  return Math.max(0, spent[span].jobs - own);
}
