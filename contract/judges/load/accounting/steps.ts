/** How finely amounts are shown, and by how much a fall may be off for that alone. §2.10 */

import type { Amounts } from "../../../answers/balance.ts";
import { SUM_ERROR, shownStep } from "../../../answers/balance.ts";
import { decimalsOf } from "../../../numbers/decimals.ts";
import type { Account, AccountLedger, Moving, Shown } from "./ledger.ts";
import { amountsRead } from "./ledger.ts";

/** Ours: costs may be rounded for display; the deviations looked for are ten times as large. */
export const TOLERANCE_SHARE = 0.001;
const DEVIATION_SHARE = 0.01;
const TOLERANCE_MIN = 1e-6;

/** Within it a fall is the costs: rounding for display hides no deviation that is looked for. */
export function toleranceOf(account: Account, moving: Moving): number {
  const sum = account.cost * Math.abs(moving.perCost);
  const step = Math.min(stepOf(account, moving), (sum * DEVIATION_SHARE) / 2);
  return Math.max(TOLERANCE_MIN, sum * TOLERANCE_SHARE, step);
}

/** Within it a fall may be the costs: between that and the tolerance there is doubt. */
export function roomOf(account: Account, moving: Moving): number {
  const { path, perCost } = moving;
  const shown = shownStep(account.before[path], account.after[path]);
  const most = account.cost * Math.abs(perCost) * DEVIATION_SHARE;
  return Math.max(toleranceOf(account, moving), shown, Math.min(stepOf(account, moving), most));
}

/** Both readings are rounded alike, by less than a step each: so much is beyond the usual room. */
export function stepRoomOf(account: Account, moving: Moving): number {
  return stepOf(account, moving) - roomOf(account, moving);
}

/** Whether rounding alone may move the amount by more than is tolerated of all the costs. */
export function isCoarseFor(account: Account, moving: Moving): boolean {
  return stepOf(account, moving) > toleranceOf(account, moving);
}

/** What an amount's readings are rounded to, by their decimals, or by what all are multiples of. */
export function stepOf(account: Account, { path, perCost }: Moving): number {
  const { before, after, shown } = account;
  const byDecimals = shownStep(before[path], after[path]);
  const step = shown.steps[path] ?? 0;
  const isCommon = step > byDecimals && !isOfPrices(account, step, Math.abs(perCost));
  return isCommon ? step : byDecimals;
}

/** Prices that are multiples of a step move the balance from one multiple to another. */
export function isOfPrices({ cost, dearest }: AccountLedger, step: number, units: number): boolean {
  const parts = (cost * units) / step;
  return dearest * units >= step && Math.abs(parts - Math.round(parts)) * step <= SUM_ERROR;
}

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

/** By path, what all of a load's readings are multiples of, whichever account they are of. */
export function commonSteps(all: readonly AccountLedger[]): Pick<Shown, "steps" | "provenSteps"> {
  const read = new Map<string, Set<number>>();
  for (const [path, amount] of all.flatMap(amountsRead).flatMap(Object.entries<number>)) {
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
