/** Whether the balance of one account fell by what its jobs cost, or why nobody can tell. §2.10 */

import { pathsMoved, SUM_ERROR } from "../../../balance/changes.ts";
import type { Sample } from "../../../judging/claim.ts";
import { anything } from "../../../judging/claim.ts";
import { rounded } from "../../../numbers/figures.ts";
import type { Variant } from "../../../states.ts";
import type { Breach } from "../../../verdict.ts";
import type { LawfulMove } from "./lawful-moves.ts";
import { lawfulMoves, restlessText } from "./lawful-moves.ts";
import type { Account, AccountLedger, Balance } from "./ledger.ts";
import { accountAlone, amountsRead } from "./ledger.ts";
import { besideJobs } from "./moved-at-once.ts";
import { isCoarseFor, roomOf, stepRoomOf, toleranceOf } from "./steps.ts";
import { stillHeld } from "./still-held.ts";
import { isCoarse, unitRoomOf } from "./unit.ts";
import { isPaidInTurn, joinedWallets, walletsIn } from "./wallets.ts";
import { balancesIn, hasOtherUnit } from "./which-balance.ts";

/**
 * A sample, or why there is none. Some are no doubt of another's: an idle account had nothing to be
 * charged and was charged nothing, which by itself shows no charge at work; of another a job, or
 * all of its few, cost little beside the steps in which its balance is shown. `unit`: an amount
 * that is in another unit than costs are, which jobs alone tell.
 */
export type Compared = ({ sample: Sample; unit?: string } | { without: string }) & {
  isNoDoubt?: boolean;
};

/** Faults: 1 where the balance fell by something else than the costs. */
export function compared(account: Account, balances: readonly Balance[]): Compared {
  const none = notComparable(account);
  if (none !== null) return none;
  const best = closestOf(account, balances);
  if (best === null) return withoutBalance(account, balances);
  const what = toldOf(account, best);
  if (isExact(account, best)) {
    const held = stillHeld(account, best);
    return held === null ? keptBy(best, what) : { sample: held };
  }
  const fit = fitOf(account, best, balances);
  if ("by" in fit) return keptBy(best, `${what}; ${fit.by}`);
  const above = fit.moves.slice(0, 1).map(({ why }) => {
    return { ...anything("others' use", why), explainedBy: unreadIn(account) };
  });
  // A unit that one job alone told is one more way to explain it: then nobody can tell.
  const mayBeOther = above.length > 0 || mayBeOtherUnit(account, best);
  if (account.isUnitLone && mayBeOther) return withoutBalance(account, []);
  // A fee beside jobs whose unit nobody can tell makes it no easier to tell.
  const mayBeRight = best.distance === 0 || above.length > 0;
  if (mayBeRight && isCoarse(account, best)) {
    const reason = "the balance is shown too coarsely for a job to tell its unit";
    return { without: reason, isNoDoubt: true };
  }
  const isNoDoubt = isWithinSteps(account, best);
  return { sample: { low: 1, high: 1, what, above, exchanges: account.exchanges }, isNoDoubt };
}

/**
 * Whether what one of two jobs moved may tell another unit, as the other moved nothing: that one's
 * charge may have come late, with it; and of jobs that cost less than a step some show one.
 */
function mayBeOtherUnit(account: Account, best: Balance): boolean {
  const isOfBoth = isExact(account, { ...best, perCost: best.perCost / 2 });
  const step = account.perCostError[best.path] ?? 0;
  return isOfBoth || Math.abs(best.perCost) <= step * (1 + SUM_ERROR);
}

/** null where there are amounts and costs that no open job may yet change. */
function notComparable(account: Account): Compared | null {
  const { cost, openJobs, unknownCosts, before, after } = account;
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) {
    return { without: "no balance can be read from the account endpoints" };
  }
  if (cost === 0 && unknownCosts > 0) {
    return open(`${unknownCosts} jobs state no cost`, unreadIn(account));
  }
  if (cost === 0) return { without: "the jobs were free of charge", isNoDoubt: isIdle(account) };
  if (openJobs === 0) return null;
  const what = `${openJobs} jobs may be charged later (see load.no-losses)`;
  return open(what, [{ promise: "load.no-losses" }]);
}

function unreadIn({ unknownCosts }: AccountLedger): readonly Breach[] {
  return unknownCosts > 0 ? [{ promise: "job.cost" }] : [];
}

function open(what: string, explainedBy: readonly Breach[]): Compared {
  return { sample: { low: 0, high: 1, what, explainedBy } };
}

/** Whether all jobs have ended, and no amount moved but those that do so by themselves. */
function isIdle(ledger: AccountLedger): boolean {
  const { clocks, openJobs } = ledger;
  return openJobs === 0 && pathsMoved(ledger).every((path) => clocks.includes(path));
}

/** The balance that fits the costs best, and by how much it does not. */
interface Closest extends Balance {
  distance: number;
}

/** A total of what was used rises: it tells where nothing else does. */
function closestOf(account: Account, balances: readonly Balance[]): Closest | null {
  const candidates = balances.filter(({ path }) => !account.restless.includes(path));
  const falling = candidates.filter(({ perCost }) => perCost > 0);
  const judged = falling.length > 0 ? falling : candidates;
  const [best] = judged
    .map((balance) => ({ ...balance, distance: distanceOf(account, balance) }))
    .sort((a, b) => a.distance - b.distance);
  return best ?? null;
}

function withoutBalance(account: Account, balances: readonly Balance[]): Compared {
  if (balances.length > 0) return open(restlessText(account), []);
  const reason = "no amount of the account fell by what can be compared with the costs";
  if (!hasOtherUnit(account)) return open(reason, []);
  return { without: `${reason}: the balance is kept in another unit` };
}

function keptBy({ path, perCost }: Balance, what: string): Compared {
  const unit = perCost === 1 ? {} : { unit: path };
  return { sample: { low: 0, high: 0, what }, ...unit };
}

function toldOf({ name, jobs, cost, variant }: Account, { path, fall, perCost }: Balance): string {
  const unit = variant === "A" ? "credits" : "USD";
  const costs = `${jobs} jobs cost ${rounded(cost, 6)}`;
  const fell = `${name}: ${path} fell by ${rounded(fall, 6)}`;
  if (perCost === 1) return `${fell} ${unit}; ${costs}`;
  return `${fell}, ${rounded(perCost, 6)} for each of the ${unit} that a job costs; ${costs}`;
}

function offBy({ cost }: Account, { fall, perCost }: Balance): number {
  return Math.abs(fall * Math.sign(perCost) - cost * Math.abs(perCost));
}

/** Whether the balance fell by just what the jobs cost. */
export function isExact(account: Account, balance: Balance): boolean {
  return offBy(account, balance) < toleranceOf(account, balance);
}

/** How far a fall lies outside of the costs; 0 where a unit that one job showed may explain it. */
function distanceOf(account: Account, balance: Balance): number {
  const room = Math.max(roomOf(account, balance), unitRoomOf(account, balance));
  return Math.max(0, offBy(account, balance) - room);
}

/** `by`: what beside the balance makes the costs up; else the moves that may have moved it so. */
function fitOf(
  account: Account,
  best: Balance,
  balances: readonly Balance[],
): { by: string } | { moves: readonly LawfulMove[] } {
  const paid = paidBeside(account, best);
  if (paid !== null) return { by: paid };
  const wallets = walletsIn(account, Math.abs(best.perCost));
  if (isPaidInTurn(account, wallets, best)) {
    const isAnother = best.fall === 0;
    const one = "another, which is used up first, makes that up";
    return { by: isAnother ? one : "amounts that were used up in turn make that up" };
  }
  const joined = joinedWallets(account, wallets, best.perCost);
  const paidOfAll = joined === null ? null : paidBeside(joined.account, joined.balance);
  if (paidOfAll !== null) return { by: `with others that were used up in turn, ${paidOfAll}` };
  const ways = [{ account, balance: best }, ...(joined === null ? [] : [joined])];
  const moves = ways.flatMap((way) => {
    const distance = distanceOf(way.account, way.balance);
    const lawful = lawfulMoves(way.account, way.balance, { balances, wallets });
    return lawful.filter(({ atMost }) => distance <= atMost);
  });
  return { moves };
}

/** Ours: figures of one digit are so far apart that one in ten is round by chance at the most. */
const ROUND_SHARE_MAX = 1 / 20;

/**
 * What was paid in or taken beside jobs that took what they cost; null where that is not known. It
 * is what moved at once, and each part has one digit but zeros: with what jobs were charged too
 * much, or too little, it would hardly be so round.
 */
function paidBeside(account: Account, best: Balance): string | null {
  const { cost, unknownCosts } = account;
  const units = Math.abs(best.perCost);
  const beside = best.fall * Math.sign(best.perCost) - cost * units;
  const seen = besideJobs(account, best);
  if (seen === null || unknownCosts > 0) return null;
  if (beside < seen.least || beside > seen.most) return null;
  const [each, tolerance] = [beside / seen.moves, toleranceOf(account, best) / seen.moves];
  if (![1, units].some((unit) => isRound(each / unit, tolerance / unit))) return null;
  const what = `${rounded(Math.abs(beside), 6)} was ${beside > 0 ? "taken" : "paid in"}`;
  return `beside them, ${what} ${seen.moves === 1 ? "at once" : `in ${seen.moves} parts`}`;
}

function isRound(figure: number, tolerance: number): boolean {
  const size = Math.abs(figure);
  const step = 10 ** Math.floor(Math.log10(size + tolerance));
  const off = Math.abs(size - step * Math.round(size / step));
  return off <= Math.min(tolerance, ROUND_SHARE_MAX * step);
}

/** Steps that show by chance take no account out of the judgement. */
function isWithinSteps(account: Account, best: Balance): boolean {
  const { shown } = account;
  const proven = { ...account, shown: { ...shown, steps: shown.provenSteps } };
  return isCoarseFor(proven, best) && distanceOf(proven, best) <= stepRoomOf(proven, best);
}

/** Ours: of what all jobs of a load cost, what is left for holds and estimates of any of them. */
const LEFT_TIMES_MIN = 2;

/** Whether the balance fell by just what the jobs cost, and was never near its end. */
export function neverNearItsEnd(ledger: AccountLedger, variant: Variant): boolean {
  const account = accountAlone(ledger, variant);
  const { restless, cost, openJobs, unknownCosts } = account;
  if (cost === 0 || openJobs > 0 || unknownCosts > 0) return false;
  return balancesIn(account).some((balance) => {
    const { path, perCost } = balance;
    const isOurs = perCost > 0 && !restless.includes(path) && isExact(account, balance);
    const left = amountsRead(account).flatMap((amounts) => amounts[path] ?? []);
    return isOurs && left.every((amount) => amount >= LEFT_TIMES_MIN * cost * perCost);
  });
}
