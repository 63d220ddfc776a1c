/** Whether errors are more than an objective allows, or no more than chance makes of fewer. */

import { chanceOfAtLeast, chanceOfShare } from "../contract/binomial.ts";
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

export function rises(above: Errors, below: Errors): boolean {
  return chanceOfShare(above.errors, above.of, below.errors, below.of) < CHANCE;
}

function together(one: Errors, other: Errors): Errors {
  return { errors: one.errors + other.errors, of: one.of + other.of };
}
