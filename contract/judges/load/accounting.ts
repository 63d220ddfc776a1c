/** load.accounting: the balance falls by the sum of what the jobs say that they cost. Spec §1.4. */

import type { Amounts } from "../../balance.ts";
import { fallsBetween, pathsMoved } from "../../balance.ts";
import type { Exchange } from "../../exchange.ts";
import { medianOf, rounded } from "../../figures.ts";
import type { Claim, Sample } from "../../judging/claim.ts";
import { anything, NO_FAULTS } from "../../judging/claim.ts";
import type { Variant } from "../../states.ts";
import type { Json } from "../../verdict.ts";

/** An account's amounts while a load goes on. */
export interface ReadingMeanwhile {
  amounts: Amounts;
  /** As many jobs end as are submitted: neither did it just begin nor does it end. */
  isSteady: boolean;
}

/** One account before and after a soak, and what its jobs cost by their own account. */
export interface AccountLedger {
  /** Its name, or that of its key. */
  account: string;
  before: Amounts;
  after: Amounts;
  /** Amounts that move with time or with each reading, and no balance. */
  clocks: readonly string[];
  /** Others that moved while no job of the suite's own was there, by others' use. */
  restless: readonly string[];
  /** Amounts that moved after the jobs had ended, and not before them: charges are booked late. */
  settling: readonly string[];
  /** What amounts move by for each unit of cost, as a job of known cost showed; empty: none did. */
  perCost: Amounts;
  /** Readings of them from before the load until after it. */
  meanwhile: readonly ReadingMeanwhile[];
  /** Sum of the costs, in credits (variant A) or USD (variant B). */
  cost: number;
  /** The dearest job, in the same unit. */
  dearest: number;
  jobs: number;
  /** Ended jobs that state no cost. */
  unknownCosts: number;
  /** Jobs that may still be charged: in flight, lost, or accepted without anybody knowing. */
  openJobs: number;
  /** Jobs that ran before the soak at the most: their charges may be booked while it lasts. */
  jobsBefore: number;
  exchanges: readonly Exchange[];
}

/** Ours: costs may be rounded for display; the deviations looked for are ten times as large. */
const TOLERANCE_SHARE = 0.001;
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

/** Ours: so many jobs may be other people's on the account, whom no quiet shows. */
const OTHERS = { jobsMax: 5, share: 0.005 } as const;
/** Ours: an amount that is shown more coarsely can't be measured by one job. */
const UNIT_ERROR_SHARE_MAX = 0.02;

/**
 * Ours: such a part of what is lacking, in spans that stand out by so many times of what others
 * differ by at the median, may have been paid in.
 */
const PAID_SHARE = 0.5;
const UNUSUAL = 5;
const SPANS_MIN = 5;

const USED_BY_OTHERS = "others use the account: its balance moves without a job";

/** Of all accounts of a load; `without`: why there may be none. */
export function accountingClaim(
  all: readonly AccountLedger[],
  variant: Variant,
  without: string,
): Claim {
  const found = all.map((ledger) => accounted(ledger, variant));
  const read = found.flatMap((each) => ("sample" in each ? [each.sample] : []));
  const unread = found.flatMap((each) => ("without" in each ? [each.without] : []));
  const unsure = found.flatMap((each) => ("without" in each && !each.isIdle ? [each.without] : []));
  const open = unsure.map((what) => ({ low: 0, high: 1, what }));
  return {
    promise: "load.accounting",
    unit: "faults",
    tolerated: NO_FAULTS,
    samples: read.length === 0 ? [] : [...read, ...open],
    looks: all.reduce((sum, { jobs }) => sum + jobs, 0),
    of: "jobs",
    kept: read.map(({ what }) => what).join("; "),
    without: unread[0] ?? without,
    quorum: { openShare: 0 },
    evidence: Object.fromEntries(all.map((ledger) => [ledger.account, evidenceOf(ledger)])),
  };
}

function evidenceOf(ledger: AccountLedger): Readonly<Record<string, Json>> {
  const { jobs, cost, unknownCosts, openJobs, before, after } = ledger;
  return { jobs, cost, unknownCosts, openJobs, falls: fallsBetween(before, after) };
}

/**
 * What one account shows: a sample, or why there is none. An idle one had nothing to be charged and
 * was charged nothing: by itself that shows no charge at work, and it is no doubt of another's.
 */
type Accounted = { sample: Sample } | { without: string; isIdle?: boolean };

/** Faults: 1 where the balance fell by something else than the costs. */
function accounted(ledger: AccountLedger, variant: Variant): Accounted {
  const { cost, openJobs, unknownCosts, before, after } = ledger;
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) {
    return { without: "no balance can be read from the account endpoints" };
  }
  const open = (what: string): Accounted => ({ sample: { low: 0, high: 1, what } });
  if (cost === 0 && unknownCosts > 0) return open(`${unknownCosts} jobs state no cost`);
  if (cost === 0) return { without: "the jobs were free of charge", isIdle: isIdle(ledger) };
  if (openJobs > 0) return open(`${openJobs} jobs may be charged later`);
  const falls = fallsBetween(without(before, ledger.clocks), after);
  const balances = balancesIn(ledger, falls, variant);
  const candidates = balances.filter(({ path }) => !ledger.restless.includes(path));
  const deviations = candidates.map((balance) => ({ ...balance, ...deviationOf(ledger, balance) }));
  const [best] = deviations.sort((a, b) => a.distance - b.distance);
  if (best === undefined) {
    if (balances.length > 0) return open(USED_BY_OTHERS);
    const reason = "no amount of the account fell by what can be compared with the costs";
    if (!hasOtherUnit(falls, cost, variant)) return open(reason);
    return { without: `${reason}: the balance is kept in another unit` };
  }
  const what = `${ledger.account}: ${told(ledger, best, variant)}`;
  if (best.isExact) return { sample: { low: 0, high: 0, what } };
  if (isCoarse(ledger, best)) {
    return { without: "the balance is shown too coarsely for a job to tell its unit" };
  }
  const doubt = doubtOf(ledger, best, balances, falls);
  const above = doubt === null ? [] : [anything("others' use", doubt)];
  return { sample: { low: 1, high: 1, what, above, exchanges: ledger.exchanges } };
}

/** Whether all jobs have ended, and no amount moved but those that do so by themselves. */
function isIdle({ before, after, clocks, openJobs }: AccountLedger): boolean {
  return openJobs === 0 && pathsMoved(before, after).every((path) => clocks.includes(path));
}

/** An amount that may be the balance, with what it moves by for each unit of cost. */
interface Balance {
  path: string;
  fall: number;
  perCost: number;
}

/** By how much it fell by something else than what the costs explain. */
interface Deviation extends Balance {
  distance: number;
}

/** In the costs' own unit, or else in the one that a job of known cost showed. */
function balancesIn(ledger: AccountLedger, falls: Amounts, variant: Variant): readonly Balance[] {
  const { before, after, clocks, cost, perCost } = ledger;
  const paths = Object.keys(falls);
  const own = paths.filter((path) => isBalance(path, (falls[path] ?? 0) / cost, variant));
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

function hasOtherUnit(falls: Amounts, cost: number, variant: Variant): boolean {
  const ratios = Object.values(falls).map((fall) => fall / cost);
  return ratios.length > 0 && (variant === "B" || ratios.some(isSmallUnit));
}

function told({ jobs, cost }: AccountLedger, { path, fall, perCost }: Balance, variant: Variant) {
  const unit = variant === "A" ? "credits" : "USD";
  const costs = `${jobs} jobs cost ${rounded(cost, 6)}`;
  if (perCost === 1) return `${path} fell by ${rounded(fall, 6)} ${unit}; ${costs}`;
  const each = `${rounded(perCost, 6)} for each of the ${unit} that a job costs`;
  return `${path} fell by ${rounded(fall, 6)}, ${each}; ${costs}`;
}

/** What else may explain the deviation, in words; null where nothing does. */
function doubtOf(
  ledger: AccountLedger,
  best: Deviation,
  balances: readonly Balance[],
  falls: Amounts,
): string | null {
  const { unknownCosts, restless, settling, jobs, jobsBefore, dearest } = ledger;
  if (best.distance === 0) return `${unknownCosts} state no cost`;
  if (restless.length > 0) return USED_BY_OTHERS;
  if (balances.some(({ path }) => settling.includes(path))) {
    return "the balance still moved when all jobs had ended";
  }
  if (isSplit(ledger, falls)) return "two amounts that fell make that up together";
  const others = Math.min(OTHERS.jobsMax, Math.floor(jobs * OTHERS.share));
  const isMore = Math.abs(best.fall) > Math.abs(ledger.cost * best.perCost);
  if (!isMore && isHeldBefore(ledger, best)) {
    return "a price held for an earlier job was given back while the jobs ran";
  }
  if (!isMore && isPaidIn(ledger, best)) return "an amount was paid in while the jobs ran";
  const isOf = (more: number) => isMore && best.distance <= more * dearest * Math.abs(best.perCost);
  if (isOf(others)) return "a few jobs of others on the account would make that up";
  return isOf(jobsBefore)
    ? "charges of jobs before the soak, booked late, would make that up"
    : null;
}

/** Ours: names of what services keep back for jobs that run. */
const HELD_NAME = /held|hold|reserved|pending/i;

/** Whether a job ran before the load whose price was held, and of which some was given back. */
function isHeldBefore({ before, after, clocks }: AccountLedger, { distance }: Deviation): boolean {
  const falls = Object.entries(fallsBetween(before, after));
  return falls.some(
    ([path, fall]) => HELD_NAME.test(path) && !clocks.includes(path) && fall >= distance,
  );
}

/**
 * What is lacking all along is not charged; what is lacking at once was paid in. While a load
 * begins or ends only a rise tells, and one that is more than what held prices give back.
 */
function isPaidIn({ meanwhile }: AccountLedger, { path, perCost, distance }: Deviation): boolean {
  const spans = spansOf(meanwhile, path).map((span) => {
    return { ...span, fall: span.fall * Math.sign(perCost) };
  });
  const steady = spans.filter(({ isSteady }) => isSteady).map(({ fall, looks }) => fall / looks);
  if (steady.length < SPANS_MIN) return false;
  const usual = medianOf(steady);
  const spread = medianOf(steady.map((fall) => Math.abs(fall - usual)));
  const lacking = spans.map(({ fall, looks, isSteady }) => {
    const less = isSteady ? usual * looks - fall : -fall;
    const most = isSteady ? UNUSUAL * spread : Math.abs(usual);
    return less > most * looks ? less : 0;
  });
  return lacking.reduce((sum, less) => sum + less, 0) >= PAID_SHARE * distance;
}

/** From one reading of the amount to the next. */
interface Span {
  fall: number;
  /** 1, and one more for each look between them that failed: what was paid in then shows later. */
  looks: number;
  isSteady: boolean;
}

function spansOf(meanwhile: readonly ReadingMeanwhile[], path: string): readonly Span[] {
  const read = meanwhile.flatMap(({ amounts, isSteady }, at) => {
    const amount = amounts[path];
    return amount === undefined ? [] : [{ amount, isSteady, at }];
  });
  return read.slice(1).flatMap((to, index) => {
    const from = read[index];
    if (from === undefined) return [];
    const isSteady = from.isSteady && to.isSteady;
    return [{ fall: from.amount - to.amount, looks: to.at - from.at, isSteady }];
  });
}

function without(amounts: Amounts, paths: readonly string[]): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([path]) => !paths.includes(path)));
}

/** A month's included credits may run out, and bought ones go on: two amounts, one balance. */
function isSplit(ledger: AccountLedger, falls: Amounts): boolean {
  const amounts = Object.keys(falls).map((path) => ({ path, fall: falls[path] ?? 0 }));
  return amounts.some((one, at) =>
    amounts.slice(at + 1).some((other) => {
      const tolerance = Math.max(toleranceOf(ledger, one.path), toleranceOf(ledger, other.path));
      const [less, more] = [Math.min(one.fall, other.fall), Math.max(one.fall, other.fall)];
      // One balance may be shown twice, or in two units: that is no split.
      if (more - less <= tolerance || isSmallUnit(more / less)) return false;
      return Math.abs(one.fall + other.fall - ledger.cost) <= tolerance;
    }),
  );
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

function isSmallUnit(ratio: number): boolean {
  return SMALL_UNITS.some((unit) => Math.abs(ratio / unit - 1) <= TOLERANCE_SHARE);
}

/** How far a fall lies outside of what the costs explain; 0 where unknown costs may explain it. */
function deviationOf(ledger: AccountLedger, { path, fall, perCost }: Balance) {
  const { cost, dearest, unknownCosts } = ledger;
  const [units, fell] = [Math.abs(perCost), fall * Math.sign(perCost)];
  const tolerance = toleranceOf(ledger, path, units);
  const [least, most] = [cost * units, (cost + unknownCosts * dearest) * units];
  const isExact = Math.abs(fell - least) <= tolerance;
  const distance = Math.max(0, least - tolerance - fell, fell - most - tolerance);
  return { isExact, distance };
}

function toleranceOf({ before, after, cost }: AccountLedger, path: string, units = 1): number {
  const shownTo = shownStep(before[path], after[path]);
  return Math.max(TOLERANCE_MIN, cost * units * TOLERANCE_SHARE, shownTo);
}

function shownStep(before: number | undefined, after: number | undefined): number {
  return 10 ** -Math.max(decimalsOf(before), decimalsOf(after));
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

/** Whether one job may move the amount by less than what shows. */
function isCoarse({ before, after, dearest }: AccountLedger, { path, perCost }: Balance): boolean {
  if (perCost === 1) return false;
  const moved = Math.abs(perCost) * dearest;
  return shownStep(before[path], after[path]) > moved * UNIT_ERROR_SHARE_MAX;
}

/** Digits behind the point: a balance that is shown rounded tells no finer. */
function decimalsOf(value: number | undefined): number {
  const [, digits = "", exponent = "0"] = /(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`) ?? [];
  return Math.max(0, digits.length - Number(exponent));
}
