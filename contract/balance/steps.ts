/** What amounts are rounded to, by what all readings of them are multiples of. Spec §2.10 */

import { decimalsOf } from "../numbers/decimals.ts";
import type { Amounts } from "./read.ts";

/**
 * Ours: that fewer different amounts are multiples of the same may be chance. By chance `n` whole
 * numbers have a common divisor of `d` or more with a probability of the sum of k^-n from k = d,
 * which is below d^(1-n): of four, tens or more less than once in 1,000 times, but fives or more in
 * 125, and twos or more in 8. More would be needed to prove a small step. It need not be proven: as
 * the tolerance that it gives is capped, a step that shows by chance widens it by little.
 */
const AMOUNTS_MIN = 4;
/** Ours: what is below it by that bound is proven: four tens are, six fives, and eleven twos. */
const CHANCE_MAX = 0.0015;

/** By path, what all of the readings are multiples of, whichever account they are of. */
export interface CommonSteps {
  steps: Amounts;
  /** Those of which that is no chance. */
  provenSteps: Amounts;
}

export function commonSteps(readings: readonly Amounts[]): CommonSteps {
  const read = new Map<string, Set<number>>();
  for (const [path, amount] of readings.flatMap(Object.entries<number>)) {
    read.set(path, (read.get(path) ?? new Set()).add(amount));
  }
  const common = [...read].flatMap(([path, amounts]) => {
    const found = commonStep([...amounts]);
    return found === null ? [] : [{ path, ...found }];
  });
  const byPath = (found: typeof common): Amounts =>
    Object.fromEntries(found.map(({ path, step }) => [path, step]));
  const proven = common.filter(({ chance }) => chance <= CHANCE_MAX);
  return { steps: byPath(common), provenSteps: byPath(proven) };
}

/** `chance`: how often they would be multiples of it for no reason. null: too few amounts tell. */
function commonStep(amounts: readonly number[]): { step: number; chance: number } | null {
  if (amounts.length < AMOUNTS_MIN) return null;
  const finest = 10 ** Math.max(...amounts.map(decimalsOf));
  const whole = amounts.map((amount) => Math.round(Math.abs(amount) * finest));
  const divisor = whole.reduce(greatestDivisor, 0);
  return { step: divisor / finest, chance: divisor ** (1 - amounts.length) };
}

function greatestDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
