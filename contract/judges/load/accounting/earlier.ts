/** What jobs that ran before a load may still cost while it lasts. Spec §1.4 */

import { movedBy, ROUNDED_COST_SHARE, shownStep } from "../../../balance/changes.ts";
import { namesDollars, namesOtherUnit } from "../../../balance/names.ts";
import type { Amounts } from "../../../balance/read.ts";
import type { EarlierJobs } from "../../../jobs/earlier-jobs.ts";
import { sumOfCharges } from "../../../jobs/earlier-jobs.ts";
import type { RunPlan } from "../../../run/run-plan.ts";
import type { Variant } from "../../../states.ts";
import { accountOf } from "./readings.ts";

/** Of the jobs that ran on an account before a load. */
export interface EarlierCharges {
  /** What those cost that told it, in the unit of the load's costs. */
  cost: number;
  /** Jobs that told no cost. */
  unknown: number;
  /** Whether there may be more of which nobody knows. */
  isOpen: boolean;
  /** What the account showed before the first of them; what cost came off since is booked. */
  opened: Amounts;
}

export const NOTHING_EARLIER: EarlierCharges = { cost: 0, unknown: 0, isOpen: false, opened: {} };

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

/**
 * Whether an account has fallen, or risen, by less than those of them cost that told it: they are
 * booked yet. Only an amount in the unit of costs can tell.
 */
export function lacksCharges(
  account: string,
  earlier: readonly EarlierJobs[],
  now: Amounts,
): boolean {
  const own = earlier.filter((each) => accountOf({ ...each, name: each.key }) === account);
  const isInDollars = sumOfCharges(own.flatMap(({ charges }) => charges ?? [])).usd > 0;
  const { cost, opened } = earlierCharges(account, own, isInDollars ? "B" : "A");
  const paths = Object.keys(opened).filter((path) => {
    return path in now && namesDollars(path) === isInDollars && !namesOtherUnit(path);
  });
  const lacks = (path: string) => {
    const change = { before: opened, after: now };
    const least = cost * (1 - ROUNDED_COST_SHARE) - shownStep(path, change);
    return Math.abs(movedBy(path, change)) < least;
  };
  return cost > 0 && paths.length > 0 && paths.every(lacks);
}

/** Read by the first of them that is known to have run on it. */
export function earlierCharges(
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
