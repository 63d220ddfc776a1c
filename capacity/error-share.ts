/** Whether errors are more than an objective allows, or no more than chance makes of fewer. */

import { chanceOfAtLeast, chanceOfShare } from "../contract/numbers/binomial.ts";
import type { CapacityStep } from "../report/capacity-model.ts";

export interface Errors {
  errors: number;
  of: number;
}

export const NO_ERRORS: Errors = { errors: 0, of: 0 };

export function errorsIn(steps: readonly CapacityStep[]): Errors {
  return steps.reduce((sum, step) => {
    const of = Math.round((step.ratePerSecond ?? 0) * step.seconds);
    return together(sum, { errors: Math.min(of, step.errors), of });
  }, NO_ERRORS);
}

/** Ours: as often chance alone may show it. */
const CHANCE = 0.05;

/**
 * Beside `below`, what lower rates showed: a step alone has too few requests to tell a share of one
 * per cent from half of it, and the rate is to blame only for what it adds.
 */
export function exceeds(own: Errors, below: Errors, shareMax: number): boolean {
  if (own.errors <= shareMax * own.of) return false;
  const isSure = [own, together(own, below)].some(({ errors, of }) => {
    return chanceOfAtLeast(errors, of, shareMax) < CHANCE;
  });
  return isSure || rises(own, below);
}

function rises(above: Errors, below: Errors, chance = CHANCE): boolean {
  return chanceOfShare(above.errors, above.of, below.errors, below.of) < chance;
}

/** Ours: nearer to a rate that was kept chance may fail a step. */
export const WELL_BELOW = 0.75;
/** Ours: rates near the edge count as below it for their few errors; that explains no more. */
const CHANCE_NEAR = 0.001;

/** Well below the lowest rate that failed, and from there on; null where they clearly rise. */
export function evenErrors(
  steps: readonly CapacityStep[],
  high: number,
): { low: Errors; rest: Errors } | null {
  const low = errorsIn(steps.filter((step) => rateOf(step) < high * WELL_BELOW));
  const rest = errorsIn(steps.filter((step) => rateOf(step) >= high));
  const near = errorsIn(steps.filter((step) => rateOf(step) < high));
  const isClear = rises(rest, low) || rises(rest, near, CHANCE_NEAR);
  return isClear ? null : { low, rest };
}

/** Ours: a search that ends by it looks again and again; where fewer are due, none may be seen. */
const AT_THE_END = { chance: 0.01, dueMin: 3 };

/** Errors that are surely too many, and as many at low rates as at high ones: there is no edge. */
export function failAtAnyRate(steps: readonly CapacityStep[], shareMax: number): boolean {
  const told = steps.filter(({ outcome }) => outcome !== "withdrawn");
  const all = errorsIn(told);
  if (all.errors <= shareMax * all.of) return false;
  if (chanceOfAtLeast(all.errors, all.of, shareMax) >= AT_THE_END.chance) return false;
  const splits = [...new Set(told.map(rateOf))].map((rate) => ({
    low: errorsIn(told.filter((step) => rateOf(step) <= rate)),
    high: errorsIn(told.filter((step) => rateOf(step) >= rate / WELL_BELOW)),
  }));
  const isDue = ({ of }: Errors) => (of * all.errors) / all.of >= AT_THE_END.dueMin;
  const areTold = splits.some(({ low, high }) => isDue(low) && isDue(high));
  return areTold && !splits.some(({ low, high }) => rises(high, low));
}

function rateOf({ ratePerSecond }: CapacityStep): number {
  return ratePerSecond ?? 0;
}

function together(one: Errors, other: Errors): Errors {
  return { errors: one.errors + other.errors, of: one.of + other.of };
}
