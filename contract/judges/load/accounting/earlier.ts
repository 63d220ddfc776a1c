/** What jobs that ran before a load may still cost while it lasts. Spec §1.4 */

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
