/** Which of an account's amounts is its balance, in which unit, and how finely it shows. §2.10 */

import type { Amounts } from "../../balance.ts";
import {
  fallsBetween,
  isSmallUnit,
  namesDollars,
  namesOtherUnit,
  pathsMoved,
  SUM_ERROR,
  sameAmount,
  shownStep,
  wordsOf,
} from "../../balance.ts";
import { decimalsOf } from "../../decimals.ts";
import type { Variant } from "../../states.ts";
import type { AccountLedger, Moving } from "./account-ledger.ts";
import { amountsRead, fallsOf } from "./account-ledger.ts";
import { paidIn } from "./moved-at-once.ts";

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

/** An amount that may be the balance. */
export interface Balance extends Moving {
  fall: number;
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
  // Tokens may be worth a little more or less than what costs are in: then a job tells, or nobody.
  const isOfOtherUnit = (path: string) => {
    if (!namesOtherUnit(path)) return false;
    const off = Math.abs((falls[path] ?? 0) - cost);
    return path in perCost || off >= toleranceOf(ledger, { path, perCost: 1 });
  };
  const own = paths.filter((path) => isBalance(path, ratio(path), variant) && !isOfOtherUnit(path));
  if (own.length > 0) return own.map((path) => ({ path, fall: falls[path] ?? 0, perCost: 1 }));
  return Object.entries(perCost).flatMap(([path, units]) => {
    const [from, to] = [before[path], after[path]];
    if (from === undefined || to === undefined || clocks.includes(path)) return [];
    const fall = from - to;
    return [ownUnitOf(ledger, { path, fall, perCost: units, isShownByJobs: true })];
  });
}

/**
 * What a postpaid account owes rises by the costs. A job may show a cent of it only roughly; where
 * the load moved it by all the costs to a tolerance, its unit is theirs.
 */
function ownUnitOf(ledger: AccountLedger, shown: Balance): Balance {
  const { path, fall } = shown;
  const own = { path, fall, perCost: Math.sign(shown.perCost) };
  const isNear = Math.abs(shown.perCost - own.perCost) <= (ledger.perCostError?.[path] ?? 0);
  const off = Math.abs(fall - ledger.cost * own.perCost);
  return isNear && off < toleranceOf(ledger, own) ? own : shown;
}

/** Whether no amount fell by about the costs, though some moved. */
export function isOfNoUnit(ledger: AccountLedger, variant: Variant): boolean {
  const falls = fallsOf(ledger);
  const hasMoved = pathsMoved(ledger.before, ledger.after).some(
    (path) => !ledger.clocks.includes(path),
  );
  return hasMoved && balancesIn({ ...ledger, perCost: {} }, falls, variant).length === 0;
}

/**
 * Whether an amount fell by a hundred times the costs, or by a hundredth of them, and the like, or
 * a debt rose where none fell.
 */
export function hasOtherUnit(ledger: AccountLedger, falls: Amounts, variant: Variant): boolean {
  const { before, after, cost } = ledger;
  const isOther = ([path, fall]: [string, number]) => {
    const shownTo = shownStep(before[path], after[path]) / fall;
    const tolerance = Math.max(TOLERANCE_SHARE, Math.min(UNIT_ERROR_SHARE_MAX, shownTo));
    return isSmallUnit(fall / cost, tolerance) || isSmallUnit(cost / fall, tolerance);
  };
  const fell = Object.entries(falls);
  const debts = Object.entries(fallsBetween(after, before)).filter(([path]) => isDebt(path));
  const moved = fell.length > 0 ? fell : debts;
  return moved.length > 0 && (variant === "B" || moved.some(isOther));
}

/** Ours: names of what a postpaid account owes; a total of what was used says nothing of that. */
const DEBT = /^(balances?|due|owed|owing|debts?|outstanding)$/;

/** The first word is the endpoint's. */
function isDebt(path: string): boolean {
  return wordsOf(path)
    .slice(1)
    .some((word) => DEBT.test(word));
}

function isBalance(path: string, ratio: number, variant: Variant): boolean {
  const namesUsd = namesDollars(path);
  if (variant === "A" && namesUsd) return false;
  const named = variant === "A" && !namesOtherUnit(path) ? NAMED_RATIO : UNNAMED_RATIO;
  const { min, max } = namesUsd ? DOLLARS_RATIO : named;
  return ratio >= min && ratio <= max;
}

/** Within it a fall is the costs: rounding for display hides no deviation that is looked for. */
export function toleranceOf(ledger: AccountLedger, moving: Moving): number {
  const sum = ledger.cost * Math.abs(moving.perCost);
  const step = Math.min(stepOf(ledger, moving), (sum * DEVIATION_SHARE) / 2);
  return Math.max(TOLERANCE_MIN, sum * TOLERANCE_SHARE, step);
}

/** Within it a fall may be the costs: between that and the tolerance there is doubt. */
export function roomOf(ledger: AccountLedger, moving: Moving): number {
  const { path, perCost } = moving;
  const shown = shownStep(ledger.before[path], ledger.after[path]);
  const most = ledger.cost * Math.abs(perCost) * DEVIATION_SHARE;
  return Math.max(toleranceOf(ledger, moving), shown, Math.min(stepOf(ledger, moving), most));
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
export function isCoarse(ledger: AccountLedger, moving: Moving): boolean {
  return unitErrorOf(ledger, moving) > UNIT_ERROR_SHARE_MAX;
}

/** Whether one job tells what a unit of cost is less exactly than costs may be rounded. */
export function isRough(ledger: AccountLedger, moving: Moving): boolean {
  return unitErrorOf(ledger, moving) > TOLERANCE_SHARE;
}

/** Whether rounding alone may move the amount by more than is tolerated of all the costs. */
export function isCoarseFor(ledger: AccountLedger, moving: Moving): boolean {
  return stepOf(ledger, moving) > toleranceOf(ledger, moving);
}

/**
 * Share by which a unit may differ that one job showed: both of its readings are rounded. Where
 * all jobs of another account show it to be the same, by so much less, if it is 100 to one or so.
 */
export function unitErrorOf(ledger: AccountLedger, moving: Moving): number {
  const { path, perCost, isShownByJobs = false } = moving;
  const isOfCosts = perCost === 1 && !isShownByJobs;
  if (isOfCosts || isExactUnit(ledger, moving)) return 0;
  const units = Math.abs(perCost);
  const ofMeanJob = stepOf(ledger, moving) / ((units * ledger.cost) / ledger.jobs);
  const ofTellingJob = (ledger.perCostError?.[path] ?? 0) / units;
  const error = Math.max(ofMeanJob, ofTellingJob);
  // Another one that is as coarse is shown by chance, where each charge is rounded by itself.
  if (error > UNIT_ERROR_SHARE_MAX && !isRoundUnit(units)) return error;
  const shares = (ledger.unitErrors ?? [])
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
function isExactUnit(ledger: AccountLedger, moving: Moving): boolean {
  const [units, step] = [Math.abs(moving.perCost), stepOf(ledger, moving)];
  return step < 1 && isRoundUnit(units) && isOfPrices(ledger, step, units);
}

/** Ours: the job that told the unit may be rounded, and so may each charge of the others. */
const COARSE_ERRORS = 2;

/** By how much a fall may be off by its unit alone, in that unit. */
export function unitRoomOf(ledger: AccountLedger, moving: Moving): number {
  const common = ledger.unitRoom?.[moving.path];
  if (common !== undefined) return common;
  const error = ledger.cost * Math.abs(moving.perCost) * unitErrorOf(ledger, moving);
  return isCoarse(ledger, moving) ? COARSE_ERRORS * error : error;
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
export const CHANCE_MAX = 0.0015;

/**
 * By path, what all of a load's readings are multiples of, whichever account they are of; by chance
 * at the most as often as told.
 */
export function commonSteps(all: readonly AccountLedger[], chanceMax = 1): Amounts {
  const read = new Map<string, Set<number>>();
  for (const [path, amount] of all.flatMap(amountsRead).flatMap(Object.entries<number>)) {
    read.set(path, (read.get(path) ?? new Set()).add(amount));
  }
  const steps = [...read].map(
    ([path, amounts]) => [path, commonStep([...amounts], chanceMax)] as const,
  );
  return Object.fromEntries(steps.filter(([, step]) => step > 0));
}

/** 0 where too few amounts tell. */
function commonStep(amounts: readonly number[], chanceMax: number): number {
  if (amounts.length < AMOUNTS_MIN) return 0;
  const finest = 10 ** Math.max(...amounts.map(decimalsOf));
  const whole = amounts.map((amount) => Math.round(Math.abs(amount) * finest));
  const divisor = whole.reduce(greatestDivisor, 0);
  return divisor ** (1 - amounts.length) > chanceMax ? 0 : divisor / finest;
}

function greatestDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** What an amount's readings are rounded to, by their decimals, or by what all are multiples of. */
export function stepOf(ledger: AccountLedger, { path, perCost }: Moving): number {
  const { before, after, steps = {} } = ledger;
  const shown = shownStep(before[path], after[path]);
  const step = steps[path] ?? 0;
  return step > shown && !isOfPrices(ledger, step, Math.abs(perCost)) ? step : shown;
}

/** Prices that are multiples of a step move the balance from one multiple to another. */
function isOfPrices({ cost, dearest }: AccountLedger, step: number, units: number): boolean {
  const parts = (cost * units) / step;
  return dearest * units >= step && Math.abs(parts - Math.round(parts)) * step <= SUM_ERROR;
}
