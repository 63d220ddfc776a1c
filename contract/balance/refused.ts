/**
 * Which amounts of an account are its balance, told by what a job of known cost took, and by how
 * much they fell with each burst of refused submissions. Fields and units are open. Spec §2.10.
 */

import type { ListedJob } from "../decode/job-list.ts";
import { rounded } from "../numbers/figures.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { Change } from "./changes.ts";
import { fallOf, fallsBetween, sameAmount, shownStep } from "./changes.ts";
import { isCharge, isCounter, isStill, withoutCounters } from "./kinds.ts";
import { names } from "./names.ts";
import type { Amounts } from "./read.ts";

/** What can be seen of an account at one time. */
export interface AccountView {
  /** null where the job list could not be read. */
  listed: readonly Pick<ListedJob, "id" | "workerId">[] | null;
  amounts: Amounts;
  exchanges: readonly Exchange[];
}

/** Before the paths of amounts of the account without credits: they are as those of others. */
export const POOR_PATHS = "without credits, ";

/** A span of time in which nothing but the refused submissions, if any, was sent. */
export interface Span {
  before: AccountView;
  after: AccountView;
  /** Submissions answered 4xx; empty for a quiet span. */
  refused: readonly Exchange[];
  /** Identifiers of jobs that the suite was issued, also by mistake of the service. */
  ownIds: readonly string[];
}

/** A completed job of known cost: tells which of the amounts is the balance. */
export interface Calibration {
  before: AccountView;
  after: AccountView;
  cost: number;
}

/** An amount that counts something is none; without a job of known cost another has to be still. */
export function withoutCountersOf(
  paths: readonly string[],
  silences: readonly Change[],
  calibration: Calibration | null,
): readonly string[] {
  if (calibration === null) {
    const all = Object.keys(silences[0]?.before ?? {});
    const isAnyStill = all.some((path) => !paths.includes(path) && isStill(path, silences));
    return isAnyStill ? paths.filter((path) => !isCounter(path, silences, null)) : paths;
  }
  const { cost } = calibration;
  const fellBy = (path: string) => fallWithJob(path, calibration);
  const all = Object.keys(calibration.before.amounts);
  const charged = all.filter((path) => isCharge(fellBy(path), cost));
  return withoutCounters(paths, silences, { cost, fellBy, charged });
}

/** Amounts that fell with every burst. */
export function fallingPaths(bursts: readonly Span[]): readonly string[] {
  const all = new Set(bursts.flatMap(({ before }) => Object.keys(before.amounts)));
  return [...all].filter((path) => {
    const falls = fallsAt(path, bursts);
    return falls.length > 0 && !falls.includes(0);
  });
}

/** By how much the amount fell in each span in which it could be read. */
export function fallsAt(path: string, spans: readonly Span[]): readonly number[] {
  return spans
    .map(amountsIn)
    .filter(({ before, after }) => path in before && path in after)
    .map((change) => fallOf(path, change));
}

export function amountsIn({ before, after }: Pick<Span, "before" | "after">): Change {
  return { before: before.amounts, after: after.amounts };
}

/** Whether an amount fell by the cost of a job, in its own unit and to the last digit. */
function isCost(path: string, calibration: Calibration): boolean {
  const fall = fallWithJob(path, calibration);
  return fall > 0 && sameAmount(fall, calibration.cost);
}

function isCostShown(calibration: Calibration): boolean {
  return Object.keys(calibration.before.amounts).some((path) => isCost(path, calibration));
}

/**
 * Those of the amounts that are the balance. Where none that is shown fell by a job's very cost, it
 * may be kept in another unit, or in steps: what a job moved is money if it is named so, if it fell
 * by a fraction, or by the cost but for its rounding. What counts submissions falls by whole
 * numbers, or by as much for a job as for each refusal.
 */
export function balancesAmong(
  paths: readonly string[],
  bursts: readonly Span[],
  calibration: Calibration | null,
): readonly string[] {
  if (calibration === null) return [];
  if (isCostShown(calibration)) return paths.filter((path) => isCost(path, calibration));
  return paths.filter((path) => {
    const fall = fallWithJob(path, calibration);
    if (fall === 0 || isNamed(path, TOLD_OF)) return false;
    if (isNamedBalance(path) || isRoundedCost(path, calibration)) return true;
    const isPerRefusal = bursts.some((burst) => {
      return fallsAt(path, [burst]).some((each) => sameAmount(each, fall * burst.refused.length));
    });
    return !Number.isInteger(rounded(fall, 6)) && !isPerRefusal;
  });
}

/** Ours: what names money, what else may be counted there, and what is told of many at once. */
const MONEY = /^(balances?|credits?|usd|dollars?|funds?|wallet)$/;
const COUNTED =
  /^(requests?|calls?|submissions?|jobs?|runs?|attempts?|quotas?|slots?|seconds?|minutes?|days?)$/;
const TOLD_OF = /^(average|avg|mean|per|rate|ratio|score)$/;

function isNamedBalance(path: string): boolean {
  return isNamed(path, MONEY) && !isNamed(path, COUNTED);
}

function isNamed(path: string, as: RegExp): boolean {
  return names(ownPath(path), as);
}

/** Ours: by fewer steps a count may fall as well. */
const STEPS_MIN = 2;

/** Whether it fell by the cost, but for what it is rounded to. */
function isRoundedCost(path: string, calibration: Calibration): boolean {
  const step = shownStep(ownPath(path), amountsIn(calibration));
  const fall = fallWithJob(path, calibration);
  const { cost } = calibration;
  return [cost, fall].every((each) => each >= STEPS_MIN * step) && Math.abs(fall - cost) < step;
}

/** As the caller's account names it. */
function ownPath(path: string): string {
  return path.startsWith(POOR_PATHS) ? path.slice(POOR_PATHS.length) : path;
}

/**
 * A balance may be kept in coarser units, where one job need not show, or be charged more than the
 * job says it cost.
 */
export function mayBeBalance(paths: readonly string[], calibration: Calibration | null): boolean {
  if (calibration === null) return true;
  if (isCostShown(calibration)) return false;
  return paths.some((path) => {
    const isUnseen =
      calibration.cost < shownStep(ownPath(path), amountsIn(calibration)) && isNamedBalance(path);
    return isUnseen || fallWithJob(path, calibration) > 0;
  });
}

function fallWithJob(path: string, calibration: Calibration): number {
  return fallOf(ownPath(path), amountsIn(calibration));
}

/** The amounts that rose and may tell what is owed. */
export function risenMoney({ before, after }: Pick<Span, "before" | "after">): readonly string[] {
  return Object.keys(fallsBetween(after.amounts, before.amounts)).filter(isNamedBalance);
}

/** The amounts that tell what is owed: named as money, they rise with a job, where none falls. */
export function owedPaths(calibration: Calibration | null): ReadonlySet<string> {
  if (calibration === null) return new Set();
  const fell = Object.keys(fallsBetween(calibration.before.amounts, calibration.after.amounts));
  const isPaid = balancesAmong(fell, [], calibration).length > 0;
  return new Set(isPaid ? [] : risenMoney(calibration));
}

/** With what is owed as an amount below zero, which falls as what is left does. */
export function asLeft(span: Pick<Span, "before" | "after">, owed: ReadonlySet<string>) {
  const signed = (view: AccountView): AccountView => {
    const amounts = Object.entries(view.amounts).map(([path, amount]) => {
      return [path, owed.has(ownPath(path)) ? -amount : amount] as const;
    });
    return { ...view, amounts: Object.fromEntries(amounts) };
  };
  return { before: signed(span.before), after: signed(span.after) };
}
