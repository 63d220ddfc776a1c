/** In which steps a balance is shown: a service may tell it in whole tens of credits. §2.10 */

import type { Amounts } from "../../balance.ts";
import { SUM_ERROR, shownStep } from "../../balance.ts";
import { decimalsOf } from "../../decimals.ts";
import type { AccountLedger } from "./account-ledger.ts";

/**
 * Ours: that fewer different amounts are multiples of the same may be chance. By chance `n` whole
 * numbers have a common divisor of `d` or more with a probability of the sum of k^-n from k = d: of
 * four, tens or more once in 2,600 times, but fives or more once in 280, and twos or more once in
 * 12 (of ten, once in 1,000). More would be needed to prove a small step. It need not be proven: as
 * the tolerance that it gives is capped, a step that shows by chance hides no deviation looked for.
 */
const AMOUNTS_MIN = 4;

/** By path, what all of a load's readings are multiples of, whichever account they are of. */
export function commonSteps(all: readonly AccountLedger[]): Amounts {
  const read = new Map<string, Set<number>>();
  for (const { before, after, meanwhile } of all) {
    const readings = [before, after, ...meanwhile.map(({ amounts }) => amounts)];
    for (const [path, amount] of readings.flatMap((amounts) => Object.entries(amounts))) {
      read.set(path, (read.get(path) ?? new Set()).add(amount));
    }
  }
  const steps = [...read].map(([path, amounts]) => [path, commonStep([...amounts])] as const);
  return Object.fromEntries(steps.filter(([, step]) => step > 0));
}

/** 0 where too few amounts tell. */
function commonStep(amounts: readonly number[]): number {
  if (amounts.length < AMOUNTS_MIN) return 0;
  const finest = 10 ** Math.max(...amounts.map(decimalsOf));
  const whole = amounts.map((amount) => Math.round(Math.abs(amount) * finest));
  return whole.reduce(greatestDivisor, 0) / finest;
}

function greatestDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/**
 * What an amount's readings are rounded to, by their decimals, or by what all are multiples of.
 * `units`: what the amount moves by for each unit of cost.
 */
export function stepOf(ledger: AccountLedger, path: string, units: number): number {
  const { before, after, steps = {} } = ledger;
  const shown = shownStep(before[path], after[path]);
  const step = steps[path] ?? 0;
  return step > shown && !isOfPrices(ledger, step, units) ? step : shown;
}

/** Prices that are multiples of a step move the balance from one multiple to another. */
function isOfPrices({ cost, dearest }: AccountLedger, step: number, units: number): boolean {
  const parts = (cost * units) / step;
  return dearest * units >= step && Math.abs(parts - Math.round(parts)) * step <= SUM_ERROR;
}
