/** The ledgers of a load's accounts, and what they tell. Spec §4.8. */

import type { Look } from "../../../balance/bookings.ts";
import { isBookedTogether, SHOWN_LATE_MS } from "../../../balance/bookings.ts";
import { movementOf, pathsMoved } from "../../../balance/changes.ts";
import { isClock, isTally } from "../../../balance/kinds.ts";
import type { Claim } from "../../../judging/claim.ts";
import type { RunPlan } from "../../../run/run-plan.ts";
import { ownMs } from "../../../time/promised-times.ts";
import type { LoadTally } from "../tally.ts";
import { accountingClaim } from "./accounting.ts";
import { neverNearItsEnd } from "./compare.ts";
import { earlierCharges } from "./earlier.ts";
import type { AccountLedger } from "./ledger.ts";
import type { AccountsSeen, QuietReading, QuietReadings } from "./readings.ts";
import { isOfNoUnit } from "./which-balance.ts";

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
  const { isUnitRested = false, isUnitLone = false, meanwhile = [], earlier = [] } = readings;
  const { endedAtMs = first.readAtMs } = readings;
  const moved = [...pathsMoved(before.quiet), ...pathsMoved(last.quiet)];
  const quiet = [before.quiet, last.quiet];
  const spans = [before.quiet, movementOf(before, last), last.quiet];
  const clocks = moved.filter((path) => isClock(path, spans) || isTally(path, quiet));
  const isDue = (path: string) => isBookedTogether(meanwhile, path, costs.jobs);
  const soon = pathsMoved({ before: first.amounts, after: last.amounts });
  // One more span of the load: its time tells nothing of how far apart bookings are.
  const hasDue = soon.some(isDue);
  const after: Look = { amounts: last.amounts, isSteady: false };
  const since = [...soon.filter((path) => !isDue(path)), ...movedLongAfter(readings, isDue)];
  return {
    name: account,
    before: before.amounts,
    after: last.amounts,
    clocks,
    restless: moved.filter((path) => !clocks.includes(path)),
    settling: since.filter((path) => !pathsMoved(before.quiet).includes(path)),
    perCost,
    perCostError,
    isUnitRested,
    isUnitLone,
    meanwhile: [unsteady(before), ...meanwhile, unsteady(first), ...(hasDue ? [after] : [])],
    restedMs: last.readAtMs - endedAtMs - ownMs(plan.times, SHOWN_LATE_MS),
    movedSince: soon,
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
 * taken. What is booked late has mostly been booked by then; `isDue`: what is booked together moves
 * once more, whenever that is.
 */
function movedLongAfter(
  { afterwards = [] }: QuietReadings,
  isDue: (path: string) => boolean,
): readonly string[] {
  const [, ...later] = afterwards;
  const moves = later
    .slice(1)
    .flatMap((amounts, at) => pathsMoved({ before: later[at] ?? amounts, after: amounts }));
  return moves.filter((path, at) => !isDue(path) || moves.indexOf(path) < at);
}

function unsteady({ amounts, readAtMs }: QuietReading): Look {
  return { amounts, isSteady: false, atMs: readAtMs };
}
