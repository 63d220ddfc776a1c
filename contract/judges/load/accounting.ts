/** load.accounting: the balance falls by the sum of what the jobs say that they cost. Spec §1.4. */

import { fallsBetween, pathsMoved } from "../../balance.ts";
import { rounded } from "../../figures.ts";
import type { Claim, Sample } from "../../judging/claim.ts";
import { anything, NO_FAULTS } from "../../judging/claim.ts";
import type { Variant } from "../../states.ts";
import type { Breach, Json } from "../../verdict.ts";
import type { AccountLedger, UnitError } from "./account-ledger.ts";
import { amountsRead, fallsOf } from "./account-ledger.ts";
import { withCommonUnits } from "./common-unit.ts";
import type { LawfulMove } from "./lawful-moves.ts";
import { lawfulMoves, restlessText, stepRoomOf } from "./lawful-moves.ts";
import { besideJobs } from "./moved-at-once.ts";
import { isPaidInTurn, joinedWallets } from "./one-balance.ts";
import { stillHeld } from "./still-held.ts";
import type { Balance } from "./which-balance.ts";
import {
  balancesIn,
  CHANCE_MAX,
  commonSteps,
  hasOtherUnit,
  isCoarse,
  isCoarseFor,
  roomOf,
  toleranceOf,
  unitRoomOf,
} from "./which-balance.ts";

/** Of all accounts of a load; `without`: why there may be none. */
export function accountingClaim(
  all: readonly AccountLedger[],
  variant: Variant,
  without: string,
): Claim {
  const shown = {
    steps: commonSteps(all),
    provenSteps: commonSteps(all, CHANCE_MAX),
    settlingAnywhere: all.flatMap(({ settling }) => settling),
  };
  const stepped = withCommonUnits(all.map((ledger) => ({ ...ledger, ...shown })));
  const unitErrors = stepped.flatMap((ledger) => unitErrorsOf(ledger, variant));
  const found = stepped.map((ledger) => accounted({ ...ledger, unitErrors }, variant));
  const sampled = found.flatMap((each, at) => {
    return "sample" in each ? [{ ...each, jobs: all[at]?.jobs ?? 0 }] : [];
  });
  const surely = sampled.filter(({ isNoDoubt }) => isNoDoubt !== true);
  const told = surely.length > 0 ? surely : sampled;
  const read = told.map(({ sample }) => sample);
  const unread = found.flatMap((each) => ("without" in each ? [each] : []));
  const unsure = unread.filter(({ isNoDoubt }) => isNoDoubt !== true);
  const open = unsure.map((each) => ({ low: 0, high: 1, what: each.without }));
  return {
    promise: "load.accounting",
    unit: "faults",
    tolerated: NO_FAULTS,
    samples: read.length === 0 ? [] : [...read, ...open],
    looks: told.reduce((sum, { jobs }) => sum + jobs, 0),
    of: "jobs",
    kept: read.map(({ what }) => what).join("; "),
    ...notTriedIn(told),
    without: unread[0]?.without ?? without,
    quorum: { openShare: 0 },
    evidence: Object.fromEntries(all.map((ledger) => [ledger.account, evidenceOf(ledger)])),
  };
}

/** A load that took just what its jobs cost shows the unit as finely as all of them do together. */
function unitErrorsOf(ledger: AccountLedger, variant: Variant): readonly UnitError[] {
  const { cost } = ledger;
  const balances = balancesIn(ledger, fallsOf(ledger), variant);
  return balances.flatMap((balance) => {
    const { path, perCost } = balance;
    const units = Math.abs(perCost);
    const isShown = cost > 0 && units > 0 && deviationOf(ledger, balance).isExact;
    const share = toleranceOf(ledger, balance) / (cost * units);
    return isShown ? [{ path, perCost, share }] : [];
  });
}

/** Ours: of what all jobs of a load cost, what is left for holds and estimates of any of them. */
const LEFT_TIMES_MIN = 2;

/** Whether the balance fell by just what the jobs cost, and was never near its end. */
export function neverNearItsEnd(ledger: AccountLedger, variant: Variant): boolean {
  const { restless, cost, openJobs, unknownCosts } = ledger;
  if (cost === 0 || openJobs > 0 || unknownCosts > 0) return false;
  return balancesIn(ledger, fallsOf(ledger), variant).some((balance) => {
    const { path, perCost } = balance;
    const isOurs = perCost > 0 && !restless.includes(path) && deviationOf(ledger, balance).isExact;
    const left = amountsRead(ledger).flatMap((amounts) => amounts[path] ?? []);
    return isOurs && left.every((amount) => amount >= LEFT_TIMES_MIN * cost * perCost);
  });
}

function evidenceOf(ledger: AccountLedger): Readonly<Record<string, Json>> {
  const { jobs, cost, unknownCosts, openJobs, before, after } = ledger;
  return { jobs, cost, unknownCosts, openJobs, falls: fallsBetween(before, after) };
}

/**
 * What one account shows: a sample, or why there is none. Some are no doubt of another's: an idle
 * one had nothing to be charged and was charged nothing, which by itself shows no charge at work;
 * of another a job, or all of its few, cost little beside the steps in which its balance is shown.
 */
type Accounted = ({ sample: Sample; unit?: string } | { without: string }) & {
  isNoDoubt?: boolean;
};

/** `unit`: of an amount that is in another unit than costs are, which jobs alone tell. */
function notTriedIn(told: readonly { unit?: string }[]): Pick<Claim, "notTried"> {
  const units = [...new Set(told.flatMap(({ unit }) => unit ?? []))];
  const notTried = units.map((path) => `whether ${path} counts all jobs too high, or too low`);
  return notTried.length === 0 ? {} : { notTried };
}

/** Faults: 1 where the balance fell by something else than the costs. */
function accounted(ledger: AccountLedger, variant: Variant): Accounted {
  const { cost, openJobs, unknownCosts, before, after } = ledger;
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) {
    return { without: "no balance can be read from the account endpoints" };
  }
  const open = (what: string, explainedBy: readonly Breach[] = []): Accounted => {
    return { sample: { low: 0, high: 1, what, explainedBy } };
  };
  const unread: readonly Breach[] = unknownCosts > 0 ? [{ promise: "job.cost" }] : [];
  if (cost === 0 && unknownCosts > 0) return open(`${unknownCosts} jobs state no cost`, unread);
  if (cost === 0) return { without: "the jobs were free of charge", isNoDoubt: isIdle(ledger) };
  if (openJobs > 0) {
    const what = `${openJobs} jobs may be charged later (see load.no-losses)`;
    return open(what, [{ promise: "load.no-losses" }]);
  }
  const falls = fallsOf(ledger);
  const balances = balancesIn(ledger, falls, variant);
  const candidates = balances.filter(({ path }) => !ledger.restless.includes(path));
  // A total of what was used rises: it tells of the balance where nothing else does.
  const falling = candidates.filter(({ perCost }) => perCost > 0);
  const judged = falling.length > 0 ? falling : candidates;
  const deviations = judged.map((balance) => ({ ...balance, ...deviationOf(ledger, balance) }));
  const [best] = deviations.sort((a, b) => a.distance - b.distance);
  if (best === undefined) {
    if (balances.length > 0) return open(restlessText(ledger));
    const reason = "no amount of the account fell by what can be compared with the costs";
    if (!hasOtherUnit(ledger, falls, variant)) return open(reason);
    return { without: `${reason}: the balance is kept in another unit` };
  }
  const what = `${ledger.account}: ${told(ledger, best, variant)}`;
  const kept = (how = ""): Accounted => {
    const unit = best.perCost === 1 ? {} : { unit: best.path };
    return { sample: { low: 0, high: 0, what: `${what}${how}` }, ...unit };
  };
  if (best.isExact) {
    const held = stillHeld(ledger, best);
    return held === null ? kept() : { sample: held };
  }
  const paid = paidBeside(ledger, best);
  if (paid !== null) return kept(`; ${paid}`);
  if (isPaidInTurn(ledger, falls, best)) {
    const others =
      best.fall === 0
        ? "another, which is used up first, makes"
        : "amounts that were used up in turn make";
    return kept(`; ${others} that up`);
  }
  const joined = joinedWallets(ledger, falls, best.perCost);
  const paidOfAll = joined === null ? null : paidBeside(joined.ledger, joined.balance);
  if (paidOfAll !== null) return kept(`; with others that were used up in turn, ${paidOfAll}`);
  const above = [{ ledger, balance: best }, ...(joined === null ? [] : [joined])]
    .flatMap((each) => movesExplaining(each, { balances, falls }))
    .slice(0, 1)
    .map(({ why }) => ({ ...anything("others' use", why), explainedBy: unread }));
  // A fee beside jobs whose unit nobody can tell makes it no easier to tell.
  if ((best.distance === 0 || above.length > 0) && isCoarse(ledger, best)) {
    const reason = "the balance is shown too coarsely for a job to tell its unit";
    return { without: reason, isNoDoubt: true };
  }
  const isNoDoubt = isWithinSteps(ledger, best);
  return { sample: { low: 1, high: 1, what, above, exchanges: ledger.exchanges }, isNoDoubt };
}

/** What may have moved a balance by as much as it is off. */
function movesExplaining(
  { ledger, balance }: { ledger: AccountLedger; balance: Balance },
  all: Parameters<typeof lawfulMoves>[2],
): readonly LawfulMove[] {
  const { distance } = deviationOf(ledger, balance);
  return lawfulMoves(ledger, balance, all).filter(({ atMost }) => distance <= atMost);
}

/** Ours: figures of one digit are so far apart that one in ten is round by chance at the most. */
const ROUND_SHARE_MAX = 1 / 20;

/**
 * What was paid in or taken beside jobs that took what they cost; null where that is not known. It
 * is what moved at once, and each part has one digit but zeros: with what jobs were charged too
 * much, or too little, it would hardly be so round.
 */
function paidBeside(ledger: AccountLedger, best: Balance): string | null {
  const { cost, unknownCosts } = ledger;
  const units = Math.abs(best.perCost);
  const beside = best.fall * Math.sign(best.perCost) - cost * units;
  const seen = besideJobs(ledger, best);
  if (seen === null || unknownCosts > 0) return null;
  if (beside < seen.least || beside > seen.most) return null;
  const [each, tolerance] = [beside / seen.moves, toleranceOf(ledger, best) / seen.moves];
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
function isWithinSteps(ledger: AccountLedger, best: Balance): boolean {
  const proven = { ...ledger, steps: ledger.provenSteps ?? {} };
  const { distance } = deviationOf(proven, best);
  return isCoarseFor(proven, best) && distance <= stepRoomOf(proven, best);
}

/** Whether all jobs have ended, and no amount moved but those that do so by themselves. */
function isIdle({ before, after, clocks, openJobs }: AccountLedger): boolean {
  return openJobs === 0 && pathsMoved(before, after).every((path) => clocks.includes(path));
}

function told({ jobs, cost }: AccountLedger, { path, fall, perCost }: Balance, variant: Variant) {
  const unit = variant === "A" ? "credits" : "USD";
  const costs = `${jobs} jobs cost ${rounded(cost, 6)}`;
  if (perCost === 1) return `${path} fell by ${rounded(fall, 6)} ${unit}; ${costs}`;
  const each = `${rounded(perCost, 6)} for each of the ${unit} that a job costs`;
  return `${path} fell by ${rounded(fall, 6)}, ${each}; ${costs}`;
}

/** How far a fall lies outside of the costs; 0 where a unit that one job showed may explain it. */
function deviationOf(ledger: AccountLedger, balance: Balance) {
  const { fall, perCost } = balance;
  const due = ledger.cost * Math.abs(perCost);
  const off = Math.abs(fall * Math.sign(perCost) - due);
  const room = Math.max(roomOf(ledger, balance), unitRoomOf(ledger, balance));
  return { isExact: off < toleranceOf(ledger, balance), distance: Math.max(0, off - room) };
}
