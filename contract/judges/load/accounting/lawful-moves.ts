/**
 * What else than the costs of a load's jobs may lawfully move its balance, and by how much at the
 * most: each a part of its own, with its bound.
 */

import { rounded } from "../../../numbers/figures.ts";
import type { Account, Balance } from "./ledger.ts";
import {
  lackingAtFirst,
  mayBeBookedLater,
  paidIn,
  paidInAtMost,
  takenAtOnce,
} from "./moved-at-once.ts";
import { stepOf, stepRoomOf } from "./steps.ts";
import type { Wallet } from "./wallets.ts";
import { HELD_NAME, isSplit } from "./wallets.ts";

export interface LawfulMove {
  /** In the amount's own unit. */
  atMost: number;
  why: string;
}

/** Why the balance moved while no job of the load did. */
export function restlessText({ earlier }: Account): string {
  const mayEndLate = earlier.isOpen || earlier.unknown > 0;
  const orLate = mayEndLate ? ", or jobs before the soak end late" : "";
  return `others use the account${orLate}: its balance moves without a job`;
}

const UNIT_IS_ROUGH = "one job shows the balance's unit only roughly";

const UNIT_IS_EARLY =
  "what the job moved that showed the balance's unit may be a hold, and its charge be booked later";

/** Ours: so many jobs may be other people's on the account, whom no quiet shows. */
const OTHERS = { jobsMax: 5, share: 0.005 } as const;
/** Ours: such a part of it is seen to move at once at the least, as spans of a load differ. */
const AT_ONCE_SHARE = 0.5;

/**
 * Of the balance that fits best; those that may move any amount come first. `balances`: all amounts
 * that may be it, `wallets`: those that may pay together.
 */
export function lawfulMoves(
  account: Account,
  best: Balance,
  { balances, wallets }: { balances: readonly Balance[]; wallets: readonly Wallet[] },
): readonly LawfulMove[] {
  const { cost, unknownCosts, restless, settling } = account;
  // What was paid in may be more than what the jobs took: then the balance rose.
  const isMore = best.fall * Math.sign(best.perCost) > cost * Math.abs(best.perCost);
  const anyMove = (isSo: boolean, why: string) => (isSo ? [{ atMost: ANY, why }] : []);
  return [
    shownInSteps(account, best),
    // None need be as cheap as those that tell what they cost.
    ...anyMove(unknownCosts > 0 && isMore, `${unknownCosts} state no cost`),
    { atMost: 0, why: UNIT_IS_ROUGH },
    ...anyMove(isUnitEarly(account, best), UNIT_IS_EARLY),
    ...anyMove(restless.length > 0, restlessText(account)),
    ...anyMove(
      balances.some(({ path }) => settling.includes(path)),
      "the balance still moved when all jobs had ended",
    ),
    ...anyMove(
      isSplit(account, wallets, Math.abs(best.perCost)),
      "amounts that fell make that up together",
    ),
    ...(isMore ? downwards(account, best) : upwards(account, best)),
  ];
}

/** Whether charges are booked late, and the job that showed the unit was looked at before that. */
function isUnitEarly({ isUnitRested, shown }: Account, best: Balance): boolean {
  return best.isShownByJobs === true && !isUnitRested && shown.settling.includes(best.path);
}

function shownInSteps(account: Account, best: Balance): LawfulMove {
  const step = stepOf(account, best);
  const why = `the balance is shown in steps of ${rounded(step, 6)}`;
  return { atMost: stepRoomOf(account, best), why };
}

const ANY = Number.POSITIVE_INFINITY;

function downwards(account: Account, best: Balance): readonly LawfulMove[] {
  const { jobs, dearest } = account;
  const others = Math.min(OTHERS.jobsMax, Math.floor(jobs * OTHERS.share));
  return [
    {
      atMost: others * dearest * Math.abs(best.perCost),
      why: "a few jobs of others on the account would make that up",
    },
    {
      atMost: unbookedBefore(account, best),
      why: "charges of jobs before the soak, or of bodies accepted by mistake, would make that up",
    },
    {
      atMost: takenAtOnce(account, best) / AT_ONCE_SHARE,
      why: "an amount that no job explains was taken at once while the jobs ran",
    },
  ];
}

/** What earlier jobs cost at the most, less what had come off since before the first of them. */
function unbookedBefore(account: Account, best: Balance): number {
  const { earlier, before, dearest } = account;
  const { path, perCost } = best;
  if (earlier.isOpen) return ANY;
  const most = (earlier.cost + earlier.unknown * dearest) * Math.abs(perCost);
  const [opened, now] = [earlier.opened[path], before[path]];
  if (opened === undefined || now === undefined) return most;
  const booked = (opened - now) * Math.sign(perCost) - stepOf(account, best);
  return Math.max(0, most - Math.max(0, booked));
}

function upwards(account: Account, best: Balance): readonly LawfulMove[] {
  return [
    {
      atMost: mayBeBookedLater(account, best, stepOf(account, best)) ? ANY : 0,
      why: bookedLaterText(account),
    },
    {
      atMost: heldBefore(account),
      why: "a price held for an earlier job was given back while the jobs ran",
    },
    {
      atMost: Math.max(paidIn(account, best, true), paidInAtMost(account, best)) / AT_ONCE_SHARE,
      why: "an amount was paid in while the jobs ran",
    },
    {
      atMost: lackingAtFirst(account, best) / AT_ONCE_SHARE,
      why: "the balance stood still at first, as where other credits are used up before it",
    },
  ];
}

function bookedLaterText({ restedMs }: Account): string {
  const waitedS = Math.floor(Math.max(0, restedMs) / 1_000);
  const later = waitedS > 0 ? `more than ${waitedS} s after the last job's end` : "later";
  return `charges of many jobs are booked together, and the last may be booked ${later}`;
}

/** What was held for a job that ran before the load, and was given back. */
function heldBefore({ falls }: Account): number {
  const held = Object.entries(falls).filter(([path]) => HELD_NAME.test(path));
  return Math.max(0, ...held.map(([, fall]) => fall));
}
