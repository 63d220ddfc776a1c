/**
 * Judges that timed-out jobs took nothing from the balance. Which figure is the balance is open:
 * a job of known cost shows it, and what that cost takes from it. Other traffic may share the
 * account, so a fall breaks the promise only when it comes again with other jobs, by as much for
 * each, and never in the quiet between; nor is anything given back there, as held prices are after
 * a while, and those of the first jobs would be by then. A countdown is left aside where another
 * figure may be the balance, and what else falls by itself where another is. Spec §1.4, §2.10.
 */

import type { Amounts, Movement } from "../../answers/balance.ts";
import {
  fallsBetween,
  fallsByItself,
  isCharge,
  isClock,
  isCounter,
  isStill,
  SUM_ERROR,
  shownStep,
} from "../../answers/balance.ts";
import type { Sample } from "../../judging/claim.ts";
import { anything, anythingIf } from "../../judging/claim.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Moving } from "../load/accounting/ledger.ts";

/** What the account's figures were before and after something. */
export interface BalanceSpan extends Movement {
  /** Jobs that timed out in between; 0 for a quiet span. */
  timeouts: number;
  /** What all other jobs in between cost, in the unit of the calibration's cost. */
  knownCost: number;
  exchanges: readonly Exchange[];
}

interface Calibration {
  before: Amounts;
  after: Amounts;
  cost: number;
  /** In which it tells that; left out in older evidence. */
  unit?: "credits" | "usd";
}

export interface BalanceInput {
  /** A completed job of known cost; null where none could be had. */
  calibration: Calibration | null;
  waves: readonly BalanceSpan[];
  quiet: readonly BalanceSpan[];
}

/** Ours: figures are shown rounded, so a known cost is taken off with an error of its own. */
const KNOWN_COST_ERROR_SHARE = 0.005;
/** Ours: equal falls a job, but for rounding. */
const SAME_SHARE = 0.01;

/**
 * null where no figure of the account is known to be a balance.
 * @param heldMs How long a price may be held.
 */
export function judgeBalance(input: BalanceInput, heldMs: number): Sample | null {
  const factors = withoutClocks(known(input), input);
  if (factors.length === 0 || input.waves.length === 0) return null;
  const samples = factors.map((factor) => sampleOf(factor, input, heldMs));
  const [worst] = samples.sort((a, b) => b.high - a.high || mayBe(a) - mayBe(b));
  return worst ?? null;
}

function mayBe({ above = [] }: Sample): number {
  return above.length;
}

/** Whether a trial of more jobs is worth its while: something fell that nothing explains. */
export function hasUnexplainedFall(input: BalanceInput, heldMs: number): boolean {
  const sample = judgeBalance(input, heldMs);
  return sample !== null && mayBe(sample) > 0;
}

/** Amounts that fell with a job of known cost. */
export function balanceFactors(calibration: BalanceInput["calibration"]): readonly Moving[] {
  if (calibration === null || calibration.cost <= 0) return [];
  const { before, after, cost } = calibration;
  return Object.entries(fallsBetween(before, after)).map(([path, fall]) => {
    // What is shown in whole credits fell by the cost, but for what it was rounded by.
    const step = shownStep(before[path], after[path]);
    const isInCosts = cost >= step && Math.abs(fall - cost) < step;
    return { path, perCost: isInCosts ? 1 : fall / cost };
  });
}

/**
 * What falls without a job is left aside, where another fell by the cost of one, and is still; else
 * what is a counter by its own numbers.
 */
function known({ calibration, quiet }: BalanceInput): readonly Moving[] {
  const factors = balanceFactors(calibration);
  const still = factors.filter(({ path }) => !fallsByItself(path, quiet));
  if (still.some(({ perCost }) => isCharge(perCost, 1))) return still;
  const { before = {}, after = {}, cost = 0 } = calibration ?? {};
  const falls = fallsBetween(before, after);
  return factors.filter(({ path }) => !isCounter(path, quiet, { fall: falls[path] ?? 0, cost }));
}

/** Those that do not move as time does, in the quiet as well; all of them where each does. */
function withoutClocks(
  factors: readonly Moving[],
  { waves, quiet }: BalanceInput,
): readonly Moving[] {
  if (quiet.length === 0) return factors;
  const rest = factors.filter(({ path }) => !isClock(path, [...waves, ...quiet]));
  return rest.length > 0 ? rest : factors;
}

/** Faults: 1 where the figure fell with the jobs. */
function sampleOf(factor: Moving, input: BalanceInput, heldMs: number): Sample {
  const { waves, quiet } = input;
  const cost = input.calibration?.cost ?? 0;
  const falls = waves.map((wave) => unexplained(factor, wave));
  if (falls.every((fall) => fall === 0)) {
    return givenSample(factor, waves, quiet) ?? { ...STAYED, what: stayed(factor, waves, cost) };
  }
  const jobs = waves.reduce((sum, { timeouts }) => sum + timeouts, 0);
  const total = falls.reduce((sum, fall) => sum + fall, 0);
  const fell = `${factor.path} fell by ${Number(total.toPrecision(6))} over ${jobs} timed-out jobs`;
  const backAgain = quiet.reduce((sum, span) => sum + riseOf(factor.path, span), 0);
  const spans = [...waves, ...quiet];
  const errorMax = spans.reduce((sum, span) => sum + errorMaxOf(factor, span), 0);
  const isBack = netFall(factor, spans) <= Math.max(SAME_SHARE * total, errorMax);
  if (isBack && backAgain > 0) return { ...STAYED, what: `${fell}, and it was given back` };
  const isQuiet = isStill(factor.path, quiet) && backAgain === 0;
  if (isQuiet && isSteady(waves, falls)) {
    const isHeld = restedMsOf({ waves, quiet }) < heldMs;
    const above = anythingIf(isHeld, "too little seen", "it may be held and come back");
    return { low: 1, high: 1, what: `${fell}, the same for each; promised 0`, above };
  }
  if (isQuiet && falls.length > 1 && falls.at(-1) === 0) {
    return { ...STAYED, what: `${fell}, and not when it was tried again` };
  }
  const above = [anything("others' use", "it may be other traffic of the account")];
  return { low: 1, high: 1, what: fell, above };
}

const STAYED = { low: 0, high: 0 };

/** Ours: a balance that one job moves by no more steps hides what is less than the price of one. */
const STEPS_TOLD = 2;

function stayed({ path, perCost }: Moving, waves: readonly BalanceSpan[], cost: number): string {
  const step = Math.min(...waves.map(({ before, after }) => shownStep(before[path], after[path])));
  const isCoarse = cost * perCost <= STEPS_TOLD * step && !isCharge(cost * perCost, cost);
  const stays = "the balance did not fall";
  return isCoarse ? `${stays} by a step of ${step}, as finely as it is shown` : stays;
}

/**
 * Given back although it was not taken, as by a refund that is booked twice: waves of several sizes
 * rose, by the same for each job. What is paid in goes by no number of jobs.
 */
function givenSample(
  factor: Moving,
  waves: readonly BalanceSpan[],
  quiet: readonly BalanceSpan[],
): Sample | null {
  const gains = waves.map((wave) => given(factor, wave));
  const sizes = new Set(waves.map(({ timeouts }) => timeouts)).size;
  const isQuiet = isStill(factor.path, quiet) && quiet.every((span) => given(factor, span) === 0);
  if (sizes < 2 || !isSteady(waves, gains) || !isQuiet) return null;
  const jobs = waves.reduce((sum, { timeouts }) => sum + timeouts, 0);
  const total = gains.reduce((sum, gain) => sum + gain, 0);
  const rose = `${factor.path} rose by ${rounded(total, 6)} over ${jobs} timed-out jobs`;
  return { low: 1, high: 1, what: `${rose}, the same for each; promised 0` };
}

/**
 * Whether a balance rose amid the jobs: reason for a second wave, as it may have been paid in. What
 * else rises, as requests that are left do, is none where another figure fell by a job's cost.
 */
export function hasRisen({ calibration, waves }: BalanceInput): boolean {
  const factors = balanceFactors(calibration);
  const charged = factors.filter(({ perCost }) => isCharge(perCost, 1));
  const balances = charged.length > 0 ? charged : factors;
  return balances.some((factor) => waves.some((wave) => given(factor, wave) > 0));
}

/** More than jobs of known cost took, where it rose for all that. */
function given(factor: Moving, span: BalanceSpan): number {
  const rise = riseOf(factor.path, span);
  return rise > errorMaxOf(factor, span) ? rise + factor.perCost * span.knownCost : 0;
}

function unexplained(factor: Moving, span: BalanceSpan): number {
  const fall = fallsBetween(span.before, span.after)[factor.path] ?? 0;
  const known = factor.perCost * span.knownCost;
  return fall - known > errorMaxOf(factor, span) ? fall - known : 0;
}

/** By how much the figure may fall more or less than by the known costs, as it is shown. */
function errorMaxOf({ path, perCost }: Moving, { before, after, knownCost }: BalanceSpan): number {
  const known = perCost * knownCost;
  // Costs that are no multiple of the step fall by up to one step more or less.
  const shownTo = known > 0 ? shownStep(before[path], after[path]) - SUM_ERROR : 0;
  return Math.max(SUM_ERROR + KNOWN_COST_ERROR_SHARE * known, shownTo);
}

/** By how much the figure fell over all of them, but for known costs. */
function netFall({ path, perCost }: Moving, spans: readonly BalanceSpan[]): number {
  return spans.reduce((sum, { before, after, knownCost }) => {
    return sum + (before[path] ?? 0) - (after[path] ?? 0) - perCost * knownCost;
  }, 0);
}

/** For how long the account has been watched since the jobs of the first wave ended. */
export function restedMsOf({ waves, quiet }: Pick<BalanceInput, "waves" | "quiet">): number {
  return [...waves.slice(1), ...quiet].reduce((sum, { seconds }) => sum + 1_000 * seconds, 0);
}

function riseOf(path: string, { before, after }: Movement): number {
  return fallsBetween(after, before)[path] ?? 0;
}

/** At least two waves fell, each by the same for a job. */
function isSteady(waves: readonly BalanceSpan[], falls: readonly number[]): boolean {
  const perJob = waves.map(({ timeouts }, at) => (falls[at] ?? 0) / Math.max(1, timeouts));
  const first = perJob[0] ?? 0;
  if (waves.length < 2 || first === 0) return false;
  return perJob.every((each) => Math.abs(each - first) <= SAME_SHARE * first);
}
