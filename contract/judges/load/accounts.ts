/** The balances of a load's accounts, before and after, against what its jobs cost. Spec §4.8. */

import type { AccountReading, Amounts, Movement } from "../../balance.ts";
import { isClock, isTally, movementOf, pathsMoved } from "../../balance.ts";
import type { EarlierJobs } from "../../earlier-jobs.ts";
import { sumOfCharges } from "../../earlier-jobs.ts";
import type { Claim } from "../../judging/claim.ts";
import type { RunPlan } from "../../run-plan.ts";
import type { Variant } from "../../states.ts";
import type { AccountLedger, EarlierCharges, ReadingMeanwhile } from "./account-ledger.ts";
import { NOTHING_EARLIER } from "./account-ledger.ts";
import { accountingClaim, neverNearItsEnd } from "./accounting.ts";
import type { LoadTally } from "./tally.ts";
import { mergeNamed } from "./tally-kinds.ts";
import { isOfNoUnit } from "./which-balance.ts";

/** One account at one time, and what its amounts did just before while nothing was done. */
export interface QuietReading extends AccountReading {
  quiet: Movement;
}

/** The last reading before a load, and the first and the last one after it. */
export interface QuietReadings {
  before: QuietReading;
  first: QuietReading;
  last: QuietReading;
  /** What amounts moved by for each unit of cost, where no amount is told in the costs' own. */
  perCost?: Amounts;
  /** By how much that may be off, as amounts are rounded. Left out in older evidence. */
  perCostError?: Amounts;
  /** Whether that job's charge had a minute to be booked, however late; left out: it had not. */
  isUnitRested?: boolean;
  /** While the load went on, one look after the other. */
  meanwhile?: readonly ReadingMeanwhile[];
  /** From the first reading after it on, one a while after the other. */
  afterwards?: readonly Amounts[];
  /** What ran before on it; left out: nothing. */
  earlier?: readonly EarlierJobs[];
}

/** By account. */
export type AccountsSeen = Readonly<Record<string, QuietReadings>>;

/** A key whose account is not declared stands for one of its own. */
export function accountOf({ account, name }: { account: string | null; name: string }): string {
  return account ?? `of key ${name}`;
}

/** Why the balance can't be judged at all; null when it can. */
export function withoutAccounts({ roles, keys }: RunPlan, { ended }: LoadTally): string | null {
  const loaded = keys.filter(({ name }) => roles.loaded.includes(name));
  if (loaded.length > 1 && loaded.some(({ account }) => account === null)) {
    return "several keys carry the load, and their accounts are not declared";
  }
  return ended === 0 ? "no job ended" : null;
}

export function accountsClaim(accounts: AccountsSeen, tally: LoadTally, plan: RunPlan): Claim {
  const reason = withoutAccounts(plan, tally);
  const all = Object.entries(accounts).flatMap(([account, readings]) => {
    return ledgerOf(account, readings, tally, plan) ?? [];
  });
  const variant = tally.variant ?? "B";
  if (reason !== null) return accountingClaim([], variant, reason);
  return accountingClaim(all, variant, "no account of the soak had a job");
}

/** Of each account by its name, whether it is sure that it could pay for any of its jobs. */
export function hadCredits(accounts: AccountsSeen, tally: LoadTally, plan: RunPlan) {
  const isJudged = withoutAccounts(plan, tally) === null;
  return (account: string): boolean => {
    const readings = accounts[account];
    const ledger = readings && isJudged ? ledgerOf(account, readings, tally, plan) : null;
    return ledger !== null && neverNearItsEnd(ledger, tally.variant ?? "B");
  };
}

/** Whether amounts moved with the jobs, and none in the unit of their costs. */
export function needsUnit(accounts: AccountsSeen, tally: LoadTally, plan: RunPlan): boolean {
  return Object.entries(accounts).some(([account, readings]) => {
    const ledger = ledgerOf(account, readings, tally, plan);
    return ledger !== null && ledger.cost > 0 && isOfNoUnit(ledger, tally.variant ?? "B");
  });
}

/** Whether amounts moved while the last reading waited: what is charged late, or others' use. */
export function movesYet(accounts: AccountsSeen, tally: LoadTally, plan: RunPlan): boolean {
  return Object.entries(accounts).some(([account, readings]) => {
    return (ledgerOf(account, readings, tally, plan)?.restless.length ?? 0) > 0;
  });
}

/** Jobs that may still be charged. */
export function openJobsOf(tally: LoadTally, { receiver }: RunPlan): number {
  const missed = tally.webhooks.missing.count + tally.webhooks.unvouched;
  // A webhook would have told of a job whose submission was not answered.
  const unheardOf = receiver === null || missed > 0 ? tally.ambiguous - tally.resolved : 0;
  return tally.accepted - tally.ended + unheardOf;
}

function movedIn({ before, after }: Movement): readonly string[] {
  return pathsMoved(before, after);
}

/** By the last reading; the first one after the soak tells whether the account moves yet. */
function ledgerOf(
  account: string,
  readings: QuietReadings,
  tally: LoadTally,
  plan: RunPlan,
): AccountLedger | null {
  const costs = tally.costs[account];
  if (costs === undefined) return null;
  const { before, first, last, perCost = {}, perCostError = {} } = readings;
  const { isUnitRested = false, meanwhile = [], earlier = [] } = readings;
  const moved = [...movedIn(before.quiet), ...movedIn(last.quiet)];
  const quiet = [before.quiet, last.quiet];
  const spans = [before.quiet, movementOf(before, last), last.quiet];
  const clocks = moved.filter((path) => isClock(path, spans) || isTally(path, quiet));
  const since = [...pathsMoved(first.amounts, last.amounts), ...movedLongAfter(readings)];
  return {
    account,
    before: before.amounts,
    after: last.amounts,
    clocks,
    restless: moved.filter((path) => !clocks.includes(path)),
    settling: since.filter((path) => !movedIn(before.quiet).includes(path)),
    perCost,
    perCostError,
    isUnitRested,
    meanwhile: [unsteady(before), ...meanwhile, unsteady(first)],
    cost: costs.sumBillionths / 1e9,
    dearest: costs.dearest,
    jobs: costs.jobs,
    unknownCosts: costs.unknown,
    openJobs: openJobsOf(tally, plan),
    earlier: earlierCharges(account, earlier, tally.variant ?? "B"),
    exchanges: [...before.exchanges, ...last.exchanges].filter(({ route }) => route === "credits"),
  };
}

/**
 * What moved once the first while after a load was over: others use the account, or a fee was
 * taken. What is booked late has mostly been booked by then.
 */
function movedLongAfter({ afterwards = [] }: QuietReadings): readonly string[] {
  const [, ...later] = afterwards;
  return later.slice(1).flatMap((amounts, at) => pathsMoved(later[at] ?? amounts, amounts));
}

function unsteady({ amounts }: QuietReading): ReadingMeanwhile {
  return { amounts, isSteady: false };
}

/** Of those that may have run on it: an undeclared account may be any. */
export function earlierOn(name: string, { keys, submittedBefore = [] }: RunPlan) {
  const account = keys.find((key) => accountOf(key) === name)?.account ?? null;
  return submittedBefore.filter((each) => {
    return account === null || each.account === null || each.account === account;
  });
}

/**
 * What may still be booked of them once all charges of ended jobs are: jobs of which nobody saw the
 * end, or knows.
 */
export function unendedOf(earlier: readonly EarlierJobs[]): readonly EarlierJobs[] {
  return earlier.flatMap((each) => {
    const unknown = each.charges?.unknown;
    if (unknown === 0) return [];
    const charges = unknown === undefined ? null : { jobs: 0, credits: 0, usd: 0, unknown };
    return [{ ...each, opened: {}, charges }];
  });
}

/** Read by the first of them that is known to have run on it. */
function earlierCharges(
  account: string,
  earlier: readonly EarlierJobs[],
  variant: Variant,
): EarlierCharges {
  const told = earlier.flatMap(({ charges }) => charges ?? []);
  const { credits, usd, unknown } = sumOfCharges(told);
  const own = earlier.filter(({ key, ...each }) => accountOf({ ...each, name: key }) === account);
  const opened = own.find((each) => Object.keys(each.opened).length > 0)?.opened;
  return {
    cost: variant === "A" ? credits : usd,
    unknown,
    isOpen: told.length < earlier.length,
    opened: opened ?? NOTHING_EARLIER.opened,
  };
}

/** Of several generators: from before the first began until all had ended. */
export function mergeAccounts(a: AccountsSeen, b: AccountsSeen): AccountsSeen {
  return mergeNamed(a, b, mergeReadings);
}

function mergeReadings(a: QuietReadings, b: QuietReadings): QuietReadings {
  const [{ before }] = inOrder(a, b, "before");
  const [, { first, afterwards = [] }] = inOrder(a, b, "first");
  const [, { last }] = inOrder(a, b, "last");
  return {
    before,
    first,
    last,
    afterwards,
    perCost: { ...b.perCost, ...a.perCost },
    perCostError: { ...b.perCostError, ...a.perCostError },
    isUnitRested: (a.isUnitRested ?? false) && (b.isUnitRested ?? false),
    meanwhile: a.meanwhile?.length ? a.meanwhile : (b.meanwhile ?? []),
    earlier: a.earlier ?? b.earlier ?? [],
  };
}

/** By the time of that reading; the same whichever stands first. */
function inOrder(
  a: QuietReadings,
  b: QuietReadings,
  by: "before" | "first" | "last",
): readonly [QuietReadings, QuietReadings] {
  const apartMs = a[by].readAtMs - b[by].readAtMs;
  const isLater = apartMs === 0 ? JSON.stringify(a[by]) >= JSON.stringify(b[by]) : apartMs > 0;
  return isLater ? [b, a] : [a, b];
}
