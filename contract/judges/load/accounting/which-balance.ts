/** Which of an account's amounts is its balance, and in which unit. §2.10 */

import { fallsBetween, pathsMoved, shownStep } from "../../../balance/changes.ts";
import { isSmallUnit } from "../../../balance/kinds.ts";
import { names, namesDollars, namesOtherUnit } from "../../../balance/names.ts";
import type { Variant } from "../../../states.ts";
import type { Account, AccountLedger, Balance } from "./ledger.ts";
import { accountAlone } from "./ledger.ts";
import { paidIn } from "./moved-at-once.ts";
import { TOLERANCE_SHARE, toleranceOf } from "./steps.ts";
import { UNIT_ERROR_SHARE_MAX } from "./unit.ts";

/**
 * Ours: an amount that names the unit is the balance, if it fell by about that factor: what is
 * charged twice, and rounded, is within it, and what is counted in tokens may not be.
 */
const NAMED_RATIO = { min: 0.45, max: 2.2 };
/** Ours: dollars that a name tells are counted in nothing else. */
const DOLLARS_RATIO = { min: 0.3, max: 5 };
/** Ours: one that does not may be in another unit, but hardly in one that is so close. */
export const UNNAMED_RATIO = { min: 0.9, max: 1.1 };

/** In the costs' own unit, or else in the one that a job of known cost showed. */
export function balancesIn(account: Account): readonly Balance[] {
  const { before, after, clocks, perCost, falls } = account;
  const own = Object.entries(falls)
    .map(([path, fall]) => ({ path, fall, perCost: 1 }))
    .filter((each) => isInCosts(account, each) && !isInOtherUnit(account, each));
  if (own.length > 0) return own;
  const shown = Object.entries(perCost).flatMap(([path, units]) => {
    const [from, to] = [before[path], after[path]];
    if (from === undefined || to === undefined || clocks.includes(path)) return [];
    const fall = from - to;
    return [ownUnitOf(account, { path, fall, perCost: units, isShownByJobs: true })];
  });
  return shown.length > 0 ? shown : usedTotals(account);
}

/**
 * What who pays afterwards has used, where the account shows no balance beside it: by as much as
 * the costs it rises in their unit. Any other rise tells nothing.
 */
function usedTotals(account: Account): readonly Balance[] {
  const { before, after, clocks, falls } = account;
  const hasBalance = Object.keys(before).some((path) => names(path, LEFT));
  if (hasBalance || Object.keys(falls).length > 0) return [];
  return Object.entries(fallsBetween(after, before)).flatMap(([path, rise]) => {
    const used = { path, fall: -rise, perCost: -1 };
    const isOff = Math.abs(rise - account.cost) >= toleranceOf(account, used);
    return isOff || clocks.includes(path) || !names(path, USED) ? [] : [used];
  });
}

/** Whether it fell by about the costs; what is paid in hides a part of the fall. */
function isInCosts(account: Account, { path, fall, perCost }: Balance): boolean {
  const { variant, cost } = account;
  const namesUsd = namesDollars(path);
  if (variant === "A" && namesUsd) return false;
  const ratio = (fall + paidIn(account, { path, perCost }, false)) / cost;
  const named = variant === "A" && !namesOtherUnit(path) ? NAMED_RATIO : UNNAMED_RATIO;
  const { min, max } = namesUsd ? DOLLARS_RATIO : named;
  return ratio >= min && ratio <= max;
}

/** Tokens may be worth a little more or less than what costs are in: a job tells, or nobody. */
function isInOtherUnit(account: Account, balance: Balance): boolean {
  const { path, fall } = balance;
  if (!namesOtherUnit(path)) return false;
  return path in account.perCost || Math.abs(fall - account.cost) >= toleranceOf(account, balance);
}

/**
 * What a postpaid account owes rises by the costs. A job may show a cent of it only roughly; where
 * the load moved it by all the costs to a tolerance, its unit is theirs.
 */
function ownUnitOf(account: Account, shown: Balance): Balance {
  const { path, fall } = shown;
  const own = { path, fall, perCost: Math.sign(shown.perCost) };
  const isNear = Math.abs(shown.perCost - own.perCost) <= (account.perCostError[path] ?? 0);
  const off = Math.abs(fall - account.cost * own.perCost);
  return isNear && off < toleranceOf(account, own) ? own : shown;
}

/** Whether no amount fell by about the costs, though some moved. */
export function isOfNoUnit(ledger: AccountLedger, variant: Variant): boolean {
  const hasMoved = pathsMoved(ledger).some((path) => !ledger.clocks.includes(path));
  return hasMoved && balancesIn(accountAlone({ ...ledger, perCost: {} }, variant)).length === 0;
}

/**
 * Whether an amount fell by a hundred times the costs, or by a hundredth of them, and the like, or
 * a debt rose where none fell.
 */
export function hasOtherUnit({ before, after, cost, falls, variant }: Account): boolean {
  const isOther = ([path, fall]: [string, number]) => {
    const shownTo = shownStep(path, { before, after }) / fall;
    const tolerance = Math.max(TOLERANCE_SHARE, Math.min(UNIT_ERROR_SHARE_MAX, shownTo));
    return isSmallUnit(fall / cost, tolerance) || isSmallUnit(cost / fall, tolerance);
  };
  const fell = Object.entries(falls);
  const debts = Object.entries(fallsBetween(after, before)).filter(([path]) => names(path, DEBT));
  const moved = fell.length > 0 ? fell : debts;
  return moved.length > 0 && (variant === "B" || moved.some(isOther));
}

/** Ours: names of totals of what was used, and of what is there to be used. */
const USED = /^(used|usage|spent|charged|consumed)$/;
const LEFT = /^(balances?|left|available|remaining)$/;
/** Ours: names of what a postpaid account owes; a total of what was used says nothing of that. */
const DEBT = /^(balances?|due|owed|owing|debts?|outstanding)$/;
