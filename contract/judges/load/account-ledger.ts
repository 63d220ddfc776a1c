/** What is known of one account of a load: amounts, and what its jobs cost. */

import type { Amounts } from "../../balance.ts";
import { fallsBetween } from "../../balance.ts";
import type { Exchange } from "../../exchange.ts";

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

/** An account's amounts while a load goes on. */
export interface ReadingMeanwhile {
  amounts: Amounts;
  /** As many jobs end as are submitted: neither did it just begin nor does it end. */
  isSteady: boolean;
}

/** An amount, and what it moves by for each unit of cost: it falls by that, or rises. */
export interface Moving {
  path: string;
  perCost: number;
  /** Jobs showed that it is so, also where it is 1; left out: its name or its size does. */
  isShownByJobs?: true;
}

/** The share by which that may be off. */
export interface UnitError extends Moving {
  share: number;
}

/** One account before and after a soak, and what its jobs cost by their own account. */
export interface AccountLedger {
  /** Its name, or that of its key. */
  account: string;
  before: Amounts;
  after: Amounts;
  /** Amounts that move with time or with each reading, and no balance. */
  clocks: readonly string[];
  /** Others that moved while no job of the suite's own was there, by others' use. */
  restless: readonly string[];
  /** Amounts that moved after the jobs had ended, and not before them: charges are booked late. */
  settling: readonly string[];
  /** What amounts move by for each unit of cost, as a job of known cost showed; empty: none did. */
  perCost: Amounts;
  /** By how much that may be off, as what the job moved was rounded; left out: unknown. */
  perCostError?: Amounts;
  /** Whether its charge had a minute to be booked: what is held first may be another sum. */
  isUnitRested: boolean;
  /** Amounts that settled on any account of the load; left out: none did. */
  settlingAnywhere?: readonly string[];
  /** What amounts may differ by from the unit that accounts agree on; left out: none does. */
  unitRoom?: Amounts;
  /** What amounts are multiples of in all readings, of whichever account; left out: unknown. */
  steps?: Amounts;
  /** The same, where that is no chance. */
  provenSteps?: Amounts;
  /** Of the unit of an amount, the share by which it may be off where another account shows it. */
  unitErrors?: readonly UnitError[];
  /** Readings of them from before the load until after it. */
  meanwhile: readonly ReadingMeanwhile[];
  /** Sum of the costs, in credits (variant A) or USD (variant B). */
  cost: number;
  /** The dearest job, in the same unit. */
  dearest: number;
  jobs: number;
  /** Ended jobs that state no cost. */
  unknownCosts: number;
  /** Jobs that may still be charged: in flight, lost, or accepted without anybody knowing. */
  openJobs: number;
  /** Jobs that ran before the load, whose charges may be booked while it lasts. */
  earlier: EarlierCharges;
  exchanges: readonly Exchange[];
}

/** By path, what amounts fell by that do not move with time. */
export function fallsOf({ before, after, clocks }: AccountLedger): Amounts {
  const others = Object.entries(before).filter(([path]) => !clocks.includes(path));
  return fallsBetween(Object.fromEntries(others), after);
}

/** What was read of it, from before the load until after it. */
export function amountsRead({ before, after, meanwhile }: AccountLedger): readonly Amounts[] {
  return [before, after, ...meanwhile.map(({ amounts }) => amounts)];
}
