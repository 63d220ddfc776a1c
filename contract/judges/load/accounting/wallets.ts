/** Whether several amounts that fell are wallets that pay together, or one balance. §2.10 */

import { SUM_ERROR } from "../../../balance/changes.ts";
import { isSmallUnit } from "../../../balance/kinds.ts";
import { wordsOf } from "../../../balance/names.ts";
import type { Amounts } from "../../../balance/read.ts";
import type { Account, AccountLedger, Balance } from "./ledger.ts";
import { roomOf, stepOf, toleranceOf } from "./steps.ts";

/** An amount that fell, and may pay for jobs beside others. */
export interface Wallet {
  path: string;
  fall: number;
}

/**
 * A month's included credits may run out, and bought ones go on: several amounts, one balance.
 * `units`: what it moves by for each unit of cost.
 */
export function isSplit(account: Account, wallets: readonly Wallet[], units: number): boolean {
  const tolerance = Math.max(
    ...wallets.map(({ path }) => roomOf(account, { path, perCost: units })),
  );
  const sums = sumsOfSeveral(wallets.map(({ fall }) => fall));
  return sums.some((sum) => Math.abs(sum - account.cost * units) <= tolerance);
}

/**
 * Whether wallets that are used up in turn paid all of the costs, and no more; it may be one alone,
 * where the turn of the balance did not come.
 */
export function isPaidInTurn(
  account: Account,
  wallets: readonly Wallet[],
  { fall, perCost }: Balance,
): boolean {
  const units = Math.abs(perCost);
  if (!areUsedInTurn(account, wallets, fall === 0 ? 1 : 2)) return false;
  const sum = wallets.reduce((total, wallet) => total + wallet.fall, 0);
  const tolerance = Math.min(
    ...wallets.map(({ path }) => toleranceOf(account, { path, perCost: units })),
  );
  return Math.abs(sum - account.cost * units) <= tolerance;
}

/** Whether they are used up one after the other but for the last, and as many as that. */
function areUsedInTurn(
  { after, restless }: AccountLedger,
  wallets: readonly Wallet[],
  countMin: number,
): boolean {
  const lasting = wallets.filter(({ path }) => Math.abs(after[path] ?? 0) > SUM_ERROR);
  const areOurs = !wallets.some(({ path }) => restless.includes(path));
  return wallets.length >= countMin && areOurs && lasting.length <= 1;
}

/** Ours: names of what services keep back for jobs that run. */
export const HELD_NAME = /held|(?<!thres)hold|reserved|pending/i;

/** Ours: what sums of binary fractions leave is beyond. */
const SUM_DIGITS = 6;

/** Wallets that are used up in turn as the one balance that they are; null where there are none. */
export function joinedWallets(
  account: Account,
  wallets: readonly Wallet[],
  perCost: number,
): { account: Account; balance: Balance } | null {
  if (!areUsedInTurn(account, wallets, 2)) return null;
  // What was held for an earlier job and is given back is no wallet.
  if (wallets.some(({ path }) => HELD_NAME.test(path))) return null;
  const paths = wallets.map(({ path }) => path);
  const path = paths.join(" + ");
  const joined = (amounts: Amounts): Amounts => {
    const all = paths.flatMap((each) => amounts[each] ?? []);
    if (all.length < paths.length) return amounts;
    const sum = all.reduce((total, amount) => total + amount, 0);
    return { ...amounts, [path]: Number(sum.toFixed(SUM_DIGITS)) };
  };
  const meanwhile = account.meanwhile.map((reading) => {
    return { ...reading, amounts: joined(reading.amounts) };
  });
  const [before, after] = [joined(account.before), joined(account.after)];
  const fall = (before[path] ?? 0) - (after[path] ?? 0);
  return { account: { ...account, before, after, meanwhile }, balance: { path, fall, perCost } };
}

/** Ours: the more amounts there are, the likelier some of them make up anything together. */
const WALLETS_MAX = 5;

/**
 * Amounts that fell, the largest falls first; one that is shown twice counts once. None paid more
 * than all of the costs: one that fell by more is shown in another unit as well, or is no wallet.
 */
export function walletsIn(account: Account, units: number): readonly Wallet[] {
  const fell = Object.entries(account.falls)
    .map(([path, fall]) => ({ path, fall }))
    .filter(({ path, fall }) => {
      const most = account.cost * units + roomOf(account, { path, perCost: units });
      return fall <= most;
    });
  const wallets: Wallet[] = [];
  for (const each of fell.sort((a, b) => b.fall - a.fall)) {
    const isKnown = wallets.some(
      (known) => isInSmallUnit(account, known, each) || isOneBalance(account, known, each, units),
    );
    if (!isKnown) wallets.push(each);
  }
  return wallets.slice(0, WALLETS_MAX);
}

/** Ours: of amounts that are shown rounded. */
const PROPORTION_ERROR = 0.02;

/** Whether one is the other in hundredths, or the like: by what stood there, as by what fell. */
function isInSmallUnit({ before }: AccountLedger, known: Wallet, each: Wallet): boolean {
  const ratio = known.fall / each.fall;
  const stood = before[known.path] ?? 0;
  const due = (before[each.path] ?? 0) * ratio;
  return isSmallUnit(ratio) && Math.abs(stood - due) <= PROPORTION_ERROR * Math.abs(stood);
}

/**
 * Whether two amounts are one that is shown twice: two wallets that pay alike move no other way, so
 * names must tell. Amounts that are equal are one where they stand on two endpoints, or where
 * neither name says what kind of credits it is; amounts that keep their distance are one where
 * neither does, and one is named as the part of the other that can be spent.
 */
function isOneBalance(account: Account, one: Wallet, other: Wallet, units: number): boolean {
  const rounding = Math.max(
    ...[one, other].map(({ path }) => stepOf(account, { path, perCost: units })),
  );
  const { before, after, meanwhile } = account;
  const [first, last] = [before, after].map((amounts) => distanceIn(amounts, one, other));
  if (typeof first !== "number" || typeof last !== "number") return false;
  const names = [one.path, other.path].map(wordsOf);
  const areViews = names.every((words) => words.every((word) => VIEW_WORDS.has(word)));
  // Amid a load two endpoints are read at two times.
  if (Math.max(Math.abs(first), Math.abs(last)) <= rounding) {
    return areViews || names[0]?.[0] !== names[1]?.[0];
  }
  const amid = meanwhile.map(({ amounts }) => distanceIn(amounts, one, other) ?? first);
  const spread = Math.max(first, last, ...amid) - Math.min(first, last, ...amid);
  const isPart = names.filter((words) => words.some((word) => PART_WORDS.has(word))).length === 1;
  return areViews && isPart && spread <= rounding;
}

function distanceIn(amounts: Amounts, one: Wallet, other: Wallet): number | null {
  const [a, b] = [amounts[one.path], amounts[other.path]];
  return a === undefined || b === undefined ? null : a - b;
}

/** Ours: names of what is left of a balance when something is kept back; a month's rest is not. */
const PART_WORDS = new Set(["available", "usable", "spendable"]);
/** Ours: names that tell of no kind of credits, as "bought" or "included" do. */
const VIEW_WORDS = new Set([
  ...PART_WORDS,
  ...["me", "account", "user", "workspace", "data", "amount", "value", "current", "total"],
  ...["credit", "credits", "balance", "exact", "whole", "rounded", "remaining", "left"],
]);

/** Of each choice of two or more. */
function sumsOfSeveral(values: readonly number[]): readonly number[] {
  const choices = [{ sum: 0, count: 0 }];
  for (const value of values) {
    const others = [...choices];
    choices.push(...others.map(({ sum, count }) => ({ sum: sum + value, count: count + 1 })));
  }
  return choices.filter(({ count }) => count > 1).map(({ sum }) => sum);
}
