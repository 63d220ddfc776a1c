/** Which of an account's amounts is its balance, in which unit, and how finely it shows. §2.10 */

import type { Amounts } from "../../balance.ts";
import { fallsBetween, pathsMoved } from "../../balance.ts";
import type { Variant } from "../../states.ts";
import type { AccountLedger } from "./account-ledger.ts";
import { paidIn } from "./moved-at-once.ts";
import { shownStep, stepOf } from "./shown-step.ts";

/** Ours: costs may be rounded for display; the deviations looked for are ten times as large. */
const TOLERANCE_SHARE = 0.001;
const DEVIATION_SHARE = 0.01;
const TOLERANCE_MIN = 1e-6;
/**
 * Ours: an amount that names the unit is the balance, if it fell by about that factor: what is
 * charged twice, and rounded, is within it, and what is counted in tokens may not be.
 */
const NAMED_RATIO = { min: 0.45, max: 2.2 };
/** Ours: dollars that a name tells are counted in nothing else. */
const DOLLARS_RATIO = { min: 0.3, max: 5 };
/** Ours: one that does not may be in another unit, but hardly in one that is so close. */
const UNNAMED_RATIO = { min: 0.9, max: 1.1 };

/** Ours: an amount that is shown more coarsely can't be measured by one job. */
const UNIT_ERROR_SHARE_MAX = 0.02;

/** An amount that may be the balance, with what it moves by for each unit of cost. */
export interface Balance {
  path: string;
  fall: number;
  perCost: number;
}

/** In the costs' own unit, or else in the one that a job of known cost showed. */
export function balancesIn(
  ledger: AccountLedger,
  falls: Amounts,
  variant: Variant,
): readonly Balance[] {
  const { before, after, clocks, cost, perCost } = ledger;
  const paths = Object.keys(falls);
  // What is paid in hides a part of the fall: it would make one unit look like another.
  const ratio = (path: string) => {
    return ((falls[path] ?? 0) + paidIn(ledger, { path, perCost: 1 })) / cost;
  };
  const own = paths.filter((path) => isBalance(path, ratio(path), variant));
  if (own.length > 0) return own.map((path) => ({ path, fall: falls[path] ?? 0, perCost: 1 }));
  return Object.entries(perCost).flatMap(([path, units]) => {
    const [from, to] = [before[path], after[path]];
    if (from === undefined || to === undefined || clocks.includes(path)) return [];
    return [{ path, fall: from - to, perCost: units }];
  });
}

/** Whether no amount fell by about the costs, though some moved. */
export function isOfNoUnit(ledger: AccountLedger, variant: Variant): boolean {
  const falls = fallsBetween(without(ledger.before, ledger.clocks), ledger.after);
  const hasMoved = pathsMoved(ledger.before, ledger.after).some(
    (path) => !ledger.clocks.includes(path),
  );
  return hasMoved && balancesIn({ ...ledger, perCost: {} }, falls, variant).length === 0;
}

/** Whether an amount fell by a hundred times the costs, or by a hundredth of them, and the like. */
export function hasOtherUnit(ledger: AccountLedger, falls: Amounts, variant: Variant): boolean {
  const { before, after, cost } = ledger;
  const isOther = ([path, fall]: [string, number]) => {
    const shownTo = shownStep(before[path], after[path]) / fall;
    const tolerance = Math.max(TOLERANCE_SHARE, Math.min(UNIT_ERROR_SHARE_MAX, shownTo));
    return isSmallUnit(fall / cost, tolerance) || isSmallUnit(cost / fall, tolerance);
  };
  const fell = Object.entries(falls);
  return fell.length > 0 && (variant === "B" || fell.some(isOther));
}

/**
 * A month's included credits may run out, and bought ones go on: several amounts, one balance.
 * `units`: what it moves by for each unit of cost.
 */
export function isSplit(ledger: AccountLedger, falls: Amounts, units: number): boolean {
  const wallets = walletsIn(ledger, falls);
  const tolerance = Math.max(...wallets.map(({ path }) => toleranceOf(ledger, path, units)));
  const sums = sumsOfSeveral(wallets.map(({ fall }) => fall));
  return sums.some((sum) => Math.abs(sum - ledger.cost * units) <= tolerance);
}

/** Ours: the more amounts there are, the likelier some of them make up anything together. */
const WALLETS_MAX = 5;

/** Amounts that fell, the largest falls first; one that is shown twice counts once. */
function walletsIn(ledger: AccountLedger, falls: Amounts) {
  const fell = Object.entries(falls).map(([path, fall]) => ({ path, fall }));
  const wallets: typeof fell = [];
  for (const each of fell.sort((a, b) => b.fall - a.fall)) {
    if (!wallets.some((known) => isSameAmount(ledger, known, each))) wallets.push(each);
  }
  return wallets.slice(0, WALLETS_MAX);
}

/**
 * Whether two amounts are one that is shown twice, or in two units. Two that fell alike and are not
 * alike may be wallets of which each pays a half.
 */
function isSameAmount(
  { before, after }: AccountLedger,
  more: { path: string; fall: number },
  less: { path: string; fall: number },
): boolean {
  // One of them may be rounded.
  const steps = [more, less].map(({ path }) => shownStep(before[path], after[path]));
  const areAlike = [before, after].every((amounts) => {
    const [one, other] = [amounts[more.path], amounts[less.path]];
    if (one === undefined || other === undefined) return false;
    return Math.abs(one - other) <= Math.max(...steps);
  });
  return areAlike || isSmallUnit(more.fall / less.fall);
}

/** Of each choice of two or more. */
function sumsOfSeveral(values: readonly number[]): readonly number[] {
  const choices = [{ sum: 0, count: 0 }];
  for (const value of values) {
    const others = [...choices];
    choices.push(...others.map(({ sum, count }) => ({ sum: sum + value, count: count + 1 })));
  }
  return choices.filter(({ count }) => count > 1).map(({ sum }) => sum);
}

function isBalance(path: string, ratio: number, variant: Variant): boolean {
  const namesUsd = /usd|dollar/i.test(path);
  if (variant === "A" && namesUsd) return false;
  const named = variant === "A" ? NAMED_RATIO : UNNAMED_RATIO;
  const { min, max } = namesUsd ? DOLLARS_RATIO : named;
  return ratio >= min && ratio <= max;
}

/** Ours: balances are kept in whole hundredths, thousandths or millionths to be exact. */
const SMALL_UNITS = [100, 1_000, 1_000_000];

function isSmallUnit(ratio: number, tolerance = TOLERANCE_SHARE): boolean {
  return SMALL_UNITS.some((unit) => Math.abs(ratio / unit - 1) <= tolerance);
}

export function toleranceOf(ledger: AccountLedger, path: string, units = 1): number {
  const { before, after, cost } = ledger;
  const [least, most] = [cost * units * TOLERANCE_SHARE, cost * units * DEVIATION_SHARE];
  const step = Math.min(stepOf(ledger, path, units), most);
  return Math.max(TOLERANCE_MIN, least, shownStep(before[path], after[path]), step);
}

/** What amounts moved by for each unit of cost, by one job; a reading that failed tells nothing. */
export function unitsOf(before: Amounts, after: Amounts, cost: number): Amounts {
  if (!(cost > 0)) return {};
  const moved = pathsMoved(before, after).flatMap((path) => {
    const [from, to] = [before[path], after[path]];
    return from === undefined || to === undefined ? [] : [[path, (from - to) / cost] as const];
  });
  return Object.fromEntries(moved);
}

/** Whether one job moves the amount by too few of its steps to tell what a unit of cost is. */
export function isCoarse(ledger: AccountLedger, balance: Pick<Balance, "path" | "perCost">) {
  return unitErrorOf(ledger, balance) > UNIT_ERROR_SHARE_MAX;
}

/** Share by which a unit may differ that one job showed: both of its readings are rounded. */
export function unitErrorOf(
  ledger: AccountLedger,
  { path, perCost }: Pick<Balance, "path" | "perCost">,
): number {
  if (perCost === 1) return 0;
  const moved = (Math.abs(perCost) * ledger.cost) / ledger.jobs;
  return stepOf(ledger, path, Math.abs(perCost)) / moved;
}

export function without(amounts: Amounts, paths: readonly string[]): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([path]) => !paths.includes(path)));
}
