/** Judges that the balance falls by the sum of what the jobs say that they cost. Spec §1.4. */

import type { Amounts } from "../../balance.ts";
import { fallsBetween } from "../../balance.ts";
import type { Exchange } from "../../exchange.ts";
import type { Variant } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";

/** One account before and after a soak, and what its jobs cost by their own account. */
export interface AccountBooks {
  before: Amounts;
  after: Amounts;
  /** Amounts that move with time or with each look, and no balance. */
  clocks: readonly string[];
  /** Others that moved while no job of the suite's own was there, by others' use. */
  restless: readonly string[];
  /** Amounts that moved after the jobs had ended, and not before them: charges are booked late. */
  settling: readonly string[];
  /** Sum of the costs, in credits (variant A) or USD (variant B). */
  cost: number;
  /** The dearest job, in the same unit. */
  dearest: number;
  jobs: number;
  /** Ended jobs that did not say what they cost. */
  unknownCosts: number;
  /** Jobs that may still be charged: in flight, lost, or accepted without anybody knowing. */
  openJobs: number;
  exchanges: readonly Exchange[];
}

/** Ours: costs may be rounded for display; the deviations looked for are ten times as large. */
const TOLERANCE_SHARE = 0.001;
const TOLERANCE_MIN = 1e-6;
/** Ours: an amount that names the unit is the balance, if it fell by about that factor. */
const NAMED_RATIO = { min: 0.5, max: 2 };
/** Ours: one that does not may be in another unit, but hardly in one that is so close. */
const UNNAMED_RATIO = { min: 0.9, max: 1.1 };

const USED_BY_OTHERS = "others use the account: its balance moves without a job";

export function judgeAccounting(books: AccountBooks, variant: Variant): Finding {
  const promise = "load.accounting";
  const { cost, jobs, openJobs, unknownCosts, before, after } = books;
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) {
    return unobserved(promise, "no balance can be read from the account endpoints");
  }
  if (cost === 0) return unobserved(promise, "the jobs were free of charge");
  const falls = fallsBetween(without(before, books.clocks), after);
  const evidence = { jobs, cost, unknownCosts, openJobs, falls };
  if (openJobs > 0) {
    return inconclusive(promise, `${openJobs} jobs may be charged later`, { evidence });
  }
  const balances = Object.keys(falls).filter((path) =>
    isBalance(path, (falls[path] ?? 0) / cost, variant),
  );
  const candidates = balances.filter((path) => !books.restless.includes(path));
  const deviations = candidates.map((path) => ({ path, ...deviationOf(books, path, falls) }));
  const [best] = deviations.sort((a, b) => a.distance - b.distance);
  if (best === undefined && balances.length > 0) {
    return inconclusive(promise, USED_BY_OTHERS, { evidence });
  }
  if (best === undefined) {
    const reason = "no amount of the account fell by what can be compared with the costs";
    const ratios = Object.values(falls).map((fall) => fall / cost);
    const isOtherUnit = ratios.length > 0 && (variant === "B" || ratios.some(isSmallUnit));
    return isOtherUnit
      ? unobserved(promise, `${reason}: the balance is kept in another unit`)
      : inconclusive(promise, reason, { evidence });
  }
  const fall = falls[best.path] ?? 0;
  const unit = variant === "A" ? "credits" : "USD";
  const summary = `${best.path} fell by ${round(fall)} ${unit}; ${jobs} jobs cost ${round(cost)}`;
  if (best.isExact) return kept(promise, summary, { evidence });
  if (best.distance === 0) {
    const reason = `${summary}, and ${unknownCosts} did not say what they cost`;
    return inconclusive(promise, reason, { evidence });
  }
  if (books.restless.length > 0) {
    return inconclusive(promise, `${summary}; ${USED_BY_OTHERS}`, { evidence });
  }
  if (balances.some((path) => books.settling.includes(path))) {
    const reason = `${summary}; the balance still moved when all jobs had ended`;
    return inconclusive(promise, reason, { evidence });
  }
  if (isSplit(books, falls)) {
    const reason = `${summary}; two amounts that fell make that up together`;
    return inconclusive(promise, reason, { evidence });
  }
  return broken(promise, summary, { evidence, exchanges: books.exchanges });
}

function without(amounts: Amounts, paths: readonly string[]): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([path]) => !paths.includes(path)));
}

/** A month's included credits may run out, and bought ones go on: two amounts, one balance. */
function isSplit(books: AccountBooks, falls: Amounts): boolean {
  const amounts = Object.keys(falls).map((path) => ({ path, fall: falls[path] ?? 0 }));
  return amounts.some((one, at) =>
    amounts.slice(at + 1).some((other) => {
      const tolerance = Math.max(toleranceOf(books, one.path), toleranceOf(books, other.path));
      const [less, more] = [Math.min(one.fall, other.fall), Math.max(one.fall, other.fall)];
      // One balance may be shown twice, or in two units: that is no split.
      if (more - less <= tolerance || isSmallUnit(more / less)) return false;
      return Math.abs(one.fall + other.fall - books.cost) <= tolerance;
    }),
  );
}

function isBalance(path: string, ratio: number, variant: Variant): boolean {
  const namesUsd = /usd|dollar/i.test(path);
  if (variant === "A" && namesUsd) return false;
  const { min, max } = variant === "A" || namesUsd ? NAMED_RATIO : UNNAMED_RATIO;
  return ratio >= min && ratio <= max;
}

/** Ours: balances are kept in whole hundredths, thousandths or millionths to be exact. */
const SMALL_UNITS = [100, 1_000, 1_000_000];

function isSmallUnit(ratio: number): boolean {
  return SMALL_UNITS.some((unit) => Math.abs(ratio / unit - 1) <= TOLERANCE_SHARE);
}

/** How far a fall lies outside of what the costs explain; 0 where unknown costs may explain it. */
function deviationOf(books: AccountBooks, path: string, falls: Amounts) {
  const { cost, dearest, unknownCosts } = books;
  const fall = falls[path] ?? 0;
  const tolerance = toleranceOf(books, path);
  const most = cost + unknownCosts * dearest;
  const isExact = Math.abs(fall - cost) <= tolerance;
  const distance = Math.max(0, cost - tolerance - fall, fall - most - tolerance);
  return { isExact, distance };
}

function toleranceOf({ before, after, cost }: AccountBooks, path: string): number {
  const shownTo = Math.max(decimalsOf(before[path]), decimalsOf(after[path]));
  return Math.max(TOLERANCE_MIN, cost * TOLERANCE_SHARE, 10 ** -shownTo);
}

/** Digits behind the point: a balance that is shown rounded tells no finer. */
function decimalsOf(value: number | undefined): number {
  const [, digits = "", exponent = "0"] = /(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`) ?? [];
  return Math.max(0, digits.length - Number(exponent));
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
