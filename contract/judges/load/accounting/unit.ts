/** What an amount moves by for each unit of cost, and how well a job shows that. §2.10 */

import { sameAmount } from "../../../balance/changes.ts";
import { isSmallUnit } from "../../../balance/kinds.ts";
import type { Moving } from "../../../balance/unit-cost.ts";
import type { Account } from "./ledger.ts";
import { isOfPrices, stepOf, TOLERANCE_SHARE } from "./steps.ts";

/** Ours: an amount that is shown more coarsely can't be measured by one job. */
export const UNIT_ERROR_SHARE_MAX = 0.02;

/** Whether one job moves the amount by too few of its steps to tell what a unit of cost is. */
export function isCoarse(account: Account, moving: Moving): boolean {
  return unitErrorOf(account, moving) > UNIT_ERROR_SHARE_MAX;
}

/** Whether one job tells what a unit of cost is less exactly than costs may be rounded. */
export function isRough(account: Account, moving: Moving): boolean {
  return unitErrorOf(account, moving) > TOLERANCE_SHARE;
}

/**
 * Share by which a unit may differ that one job showed: both of its readings are rounded. Where
 * all jobs of another account show it to be the same, by so much less, if it is 100 to one or so.
 */
export function unitErrorOf(account: Account, moving: Moving): number {
  const { path, perCost, isShownByJobs = false } = moving;
  const isOfCosts = perCost === 1 && !isShownByJobs;
  if (isOfCosts || isExactUnit(account, moving)) return 0;
  const units = Math.abs(perCost);
  const ofMeanJob = stepOf(account, moving) / ((units * account.cost) / account.jobs);
  const ofTellingJob = (account.perCostError[path] ?? 0) / units;
  const error = Math.max(ofMeanJob, ofTellingJob);
  // Another one that is as coarse is shown by chance, where each charge is rounded by itself.
  if (error > UNIT_ERROR_SHARE_MAX && !isRoundUnit(units)) return error;
  const shares = account.shown.unitErrors
    .filter((each) => each.path === path && sameAmount(each.perCost, perCost))
    .map(({ share }) => share);
  return Math.min(error, ...shares);
}

/** Ours: what binary fractions leave of a quotient of two amounts. */
const QUOTIENT_ERROR = 1e-6;

function isRoundUnit(units: number): boolean {
  return [units, 1 / units].some((unit) => isSmallUnit(unit, QUOTIENT_ERROR));
}

/**
 * Whether a job showed just 100 to one, or the like, and in that unit the costs are whole steps of
 * the amount: then nothing of it need be rounded, and hardly any other unit would look so. But a
 * job of a cent that takes a whole token does, whatever a token is worth.
 */
function isExactUnit(account: Account, moving: Moving): boolean {
  const [units, step] = [Math.abs(moving.perCost), stepOf(account, moving)];
  return step < 1 && isRoundUnit(units) && isOfPrices(account, step, units);
}

/** Ours: the job that told the unit may be rounded, and so may each charge of the others. */
const COARSE_ERRORS = 2;

/** By how much a fall may be off by its unit alone, in that unit. */
export function unitRoomOf(account: Account, moving: Moving): number {
  const common = account.unitRoom[moving.path];
  if (common !== undefined) return common;
  const share = unitErrorOf(account, moving);
  const error = account.cost * Math.abs(moving.perCost) * share;
  return share > UNIT_ERROR_SHARE_MAX ? COARSE_ERRORS * error : error;
}
