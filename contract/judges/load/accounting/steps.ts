/** How finely amounts are shown, and by how much a fall may be off for that alone. §2.10 */

import { SUM_ERROR, shownStep } from "../../../balance/changes.ts";
import type { Moving } from "../../../balance/unit-cost.ts";
import type { Account, AccountLedger } from "./ledger.ts";

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
  const shown = shownStep(path, account);
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
  const byDecimals = shownStep(path, account);
  const step = account.shown.steps[path] ?? 0;
  const isCommon = step > byDecimals && !isOfPrices(account, step, Math.abs(perCost));
  return isCommon ? step : byDecimals;
}

/** Prices that are multiples of a step move the balance from one multiple to another. */
export function isOfPrices({ cost, dearest }: AccountLedger, step: number, units: number): boolean {
  const parts = (cost * units) / step;
  return dearest * units >= step && Math.abs(parts - Math.round(parts)) * step <= SUM_ERROR;
}
