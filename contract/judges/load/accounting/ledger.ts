/** What one account of a load showed, what its jobs cost, and what is known of both. §2.10 */

import type { Look } from "../../../balance/bookings.ts";
import { fallsBetween } from "../../../balance/changes.ts";
import type { Amounts } from "../../../balance/read.ts";
import type { CommonSteps } from "../../../balance/steps.ts";
import type { Moving } from "../../../balance/unit-cost.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import type { Variant } from "../../../states.ts";
import type { EarlierCharges } from "./earlier.ts";

/** One account before and after a soak, and what its jobs cost by their own account. */
export interface AccountLedger {
  /** The account's, or that of its key. */
  name: string;
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
  /** By how much that may be off, as what the job moved was rounded; empty: unknown. */
  perCostError: Amounts;
  /** Whether its charge had a minute to be booked: what is held first may be another sum. */
  isUnitRested: boolean;
  /** Whether a second such job moved nothing: one of both was not charged, or later. */
  isUnitLone: boolean;
  /** Readings of them from before the load until after it. */
  meanwhile: readonly Look[];
  /** For how long they were read after the last job had ended, less what shows late. */
  restedMs: number;
  /** Amounts that moved after it had ended, at whatever time. */
  movedSince: readonly string[];
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

/** An amount that may be the balance. */
export interface Balance extends Moving {
  fall: number;
}

/** The share by which a unit may be off. */
export interface UnitError extends Moving {
  share: number;
}

/** What all accounts of a load show together of how their amounts are kept. */
export interface Shown extends CommonSteps {
  /** Amounts that settled on any account. */
  settling: readonly string[];
  /** Of units that an account's whole load showed, how exactly it did. */
  unitErrors: readonly UnitError[];
}

/** A ledger as it is judged: its `perCost` may be what several accounts agree on. */
export interface Account extends AccountLedger {
  variant: Variant;
  /** What amounts fell by that do not move with time. */
  falls: Amounts;
  /** What amounts may differ by from the unit that accounts agree on; empty: none does. */
  unitRoom: Amounts;
  shown: Shown;
}

/** Of an account of which no other tells anything. */
const SHOWN_BY_NONE: Shown = { steps: {}, provenSteps: {}, settling: [], unitErrors: [] };

export function accountAlone(ledger: AccountLedger, variant: Variant): Account {
  const others = Object.entries(ledger.before).filter(([path]) => !ledger.clocks.includes(path));
  const falls = fallsBetween(Object.fromEntries(others), ledger.after);
  return { ...ledger, variant, falls, unitRoom: {}, shown: SHOWN_BY_NONE };
}

/** What was read of it, from before the load until after it. */
export function amountsRead({ before, after, meanwhile }: AccountLedger): readonly Amounts[] {
  return [before, after, ...meanwhile.map(({ amounts }) => amounts)];
}
