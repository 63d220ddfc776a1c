/**
 * What the balance did in spans of time in which jobs ran whose cost is known, or that timed out,
 * or none: which amounts it may be, and what it moved by beside the costs. Spec §1.4, §2.10.
 */

import type { Exchange } from "../requests/exchange.ts";
import type { Change, Movement } from "./changes.ts";
import { fallOf, isAbout, movedBy, ROUNDED_COST_SHARE, SUM_ERROR, shownStep } from "./changes.ts";
import { isCharge, isClock, isStill, withoutCounters } from "./kinds.ts";
import { namesDollars, namesOtherUnit } from "./names.ts";
import type { Moving, PricedJob } from "./unit-cost.ts";
import { balanceFactors } from "./unit-cost.ts";

/** What the account's figures were before and after something. */
export interface BalanceSpan extends Movement {
  /** Jobs that timed out in between; 0 for a quiet span. */
  timeouts: number;
  /** What all other jobs in between cost, in the unit of the calibration's cost. */
  knownCost: number;
  exchanges: readonly Exchange[];
}

interface Calibration extends PricedJob {
  /** In which it tells its cost; left out in older evidence. */
  unit?: "credits" | "usd";
}

export interface BalanceInput {
  /** A completed job of known cost; null where none could be had. */
  calibration: Calibration | null;
  waves: readonly BalanceSpan[];
  quiet: readonly BalanceSpan[];
}

/** Ours: equal falls a job, but for rounding. */
const SAME_SHARE = 0.01;

/** Those that do not move as time does, in the quiet as well; all of them where each does. */
export function likelyBalances(input: BalanceInput): readonly Moving[] {
  const { calibration: job, waves, quiet } = input;
  if (job === null) return [];
  const factors = balanceFactors(job);
  const charged = factors.filter(isCharged).map(pathOf);
  const told = { cost: job.cost, fellBy: (path: string) => fallOf(path, job), charged };
  const known = withoutCounters(factors.map(pathOf), quiet, told);
  const balances = factors.filter(({ path }) => known.includes(path));
  if (quiet.length === 0) return balances;
  const rest = balances.filter(({ path }) => !isClock(path, [...waves, ...quiet]));
  return rest.length > 0 ? rest : balances;
}

const pathOf = ({ path }: Moving) => path;
const isCharged = ({ perCost }: Moving) => isCharge(perCost, 1);

/**
 * Whether a balance rose amid the jobs: reason for a second wave, as it may have been paid in. What
 * else rises, as requests that are left do, is none where another figure fell by a job's cost.
 */
export function hasRisen({ calibration, waves }: BalanceInput): boolean {
  const factors = balanceFactors(calibration);
  const balances = factors.some(isCharged) ? factors.filter(isCharged) : factors;
  return balances.some((factor) => waves.some((wave) => givenIn(wave, factor) > 0));
}

/** What the figure rose by beyond what jobs of known cost took, where it rose for all that. */
export function givenIn(span: BalanceSpan, factor: Moving): number {
  const rise = riseIn(span, factor);
  return rise > errorMaxIn(span, factor) ? rise + factor.perCost * span.knownCost : 0;
}

/** What the figure fell by beyond what jobs of known cost took. */
export function takenIn(span: BalanceSpan, factor: Moving): number {
  const taken = fallOf(factor.path, span) - factor.perCost * span.knownCost;
  return taken > errorMaxIn(span, factor) ? taken : 0;
}

export function riseIn({ before, after }: Change, { path }: Moving): number {
  return fallOf(path, { before: after, after: before });
}

/** By how much the figure may fall more or less than by the known costs, as it is shown. */
function errorMaxIn(span: BalanceSpan, { path, perCost }: Moving): number {
  const known = perCost * span.knownCost;
  // Costs that are no multiple of the step fall by up to one step more or less.
  const shownTo = known > 0 ? shownStep(path, span) - SUM_ERROR : 0;
  return Math.max(SUM_ERROR + ROUNDED_COST_SHARE * known, shownTo);
}

/** Whether the figure fell by about nothing over all of them, but for known costs. */
export function isMadeUp(factor: Moving, spans: readonly BalanceSpan[], taken: number): boolean {
  const errorMax = spans.reduce((sum, span) => sum + errorMaxIn(span, factor), 0);
  return netFall(factor, spans) <= Math.max(SAME_SHARE * taken, errorMax);
}

/** By how much the figure fell over all of them, but for known costs. */
export function netFall({ path, perCost }: Moving, spans: readonly BalanceSpan[]): number {
  return spans.reduce((sum, span) => sum + movedBy(path, span) - perCost * span.knownCost, 0);
}

/** At least two waves fell, each by the same for a job. */
export function isSteady(waves: readonly BalanceSpan[], falls: readonly number[]): boolean {
  const perJob = waves.map(({ timeouts }, at) => (falls[at] ?? 0) / Math.max(1, timeouts));
  const first = perJob[0] ?? 0;
  if (waves.length < 2 || first === 0) return false;
  return perJob.every((each) => Math.abs(each - first) <= SAME_SHARE * first);
}

/** For how long the account has been watched since the jobs of the first wave ended. */
export function restedMsOf({ waves, quiet }: Pick<BalanceInput, "waves" | "quiet">): number {
  return [...waves.slice(1), ...quiet].reduce((sum, { seconds }) => sum + 1_000 * seconds, 0);
}

/** Those in which jobs of known cost ran. */
export function pricedIn({ calibration, waves }: BalanceInput): readonly PricedJob[] {
  const all = waves.map(({ before, after, knownCost }) => ({ before, after, cost: knownCost }));
  return [...(calibration === null ? [] : [calibration]), ...all].filter(({ cost }) => cost > 0);
}

/** Amounts in the unit of costs that fell by twice the costs each time, where none fell by them. */
export function chargedTwiceIn(input: BalanceInput): readonly string[] {
  const { calibration } = input;
  const spans = pricedIn(input);
  if (calibration === null || calibration.unit === undefined || spans.length < 2) return [];
  const isInDollars = calibration.unit === "usd";
  const paths = Object.keys(calibration.before).filter((path) => {
    return namesDollars(path) === isInDollars && !namesOtherUnit(path);
  });
  const fellBy = (times: number) =>
    paths.filter((path) => spans.every((each) => isAbout(fallOf(path, each), times * each.cost)));
  return fellBy(1).length > 0 ? [] : fellBy(2);
}

/** Whether the amount stayed the same wherever no job ran that costs. */
export function restsIn({ waves, quiet }: BalanceInput, path: string): boolean {
  const spans = [...quiet, ...waves.filter(({ knownCost }) => knownCost === 0)];
  return isStill(path, quiet) && spans.every(({ before, after }) => after[path] === before[path]);
}
