/** Accounts of a load, as their readings before, meanwhile and after show them. */

import type { EarlierCharges } from "../../../../../contract/judges/load/accounting/earlier.ts";
import { NOTHING_EARLIER } from "../../../../../contract/judges/load/accounting/earlier.ts";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";

export const BEFORE = { "credits.balance": 1_000, "me.credits_used": 7 };

export function ledger(fall: number, change: Partial<AccountLedger> = {}): AccountLedger {
  return {
    before: BEFORE,
    after: { ...BEFORE, "credits.balance": 1_000 - fall },
    clocks: [],
    restless: [],
    settling: [],
    perCost: {},
    perCostError: {},
    isUnitRested: true,
    isUnitLone: false,
    meanwhile: [],
    restedMs: 60_000,
    movedSince: [],
    cost: 163.95,
    dearest: 1,
    jobs: 200,
    unknownCosts: 0,
    openJobs: 0,
    name: "one",
    earlier: NOTHING_EARLIER,
    exchanges: [],
    ...change,
  };
}

export function earlier(change: Partial<EarlierCharges>): EarlierCharges {
  return { ...NOTHING_EARLIER, ...change };
}

/** The balance before jobs that took so much until the load began. */
export function before(taken: number) {
  return { "credits.balance": 1_000 + taken };
}

/** An account with two amounts of credits, by what each of them falls. */
export function split(falls: { included: number; bought: number }): AccountLedger {
  const before = { "credits.included": 500.125, "credits.bought": 500.125 };
  const after = {
    "credits.included": 500.125 - falls.included,
    "credits.bought": 500.125 - falls.bought,
  };
  return ledger(0, { before, after });
}

/** An account with several amounts of credits: what each of them was before, and falls by. */
export function wallets(
  falls: Readonly<Record<string, readonly [number, number]>>,
  change: Partial<AccountLedger> = {},
): AccountLedger {
  const read = (left: (before: number, fall: number) => number) =>
    Object.fromEntries(
      Object.entries(falls).map(([name, [before, fall]]) => [
        `credits.${name}`,
        left(before, fall),
      ]),
    );
  const [before, after] = [read((amount) => amount), read((amount, fall) => amount - fall)];
  return ledger(0, { before, after, ...change });
}

/** An account that shows whole cents, and falls by so many USD. */
export function inCents(fall: number): AccountLedger {
  const [before, after] = [1_000.25, 1_000.25 - fall].map((usd) => ({ "credits.usd": usd }));
  return ledger(0, { before: before ?? {}, after: after ?? {} });
}

/** An account that held so much for jobs before the load, and nothing when it had ended. */
export function held(fall: number, before: number): AccountLedger {
  return ledger(fall, {
    before: { ...BEFORE, "credits.held": before },
    after: { ...BEFORE, "credits.balance": 1_000 - fall, "credits.held": 0 },
  });
}

/** An account that is read while it falls by as much in each span. */
export function falling(falls: readonly number[]): AccountLedger["meanwhile"] {
  return falls.map((_, at) => {
    const fallen = falls.slice(0, at + 1).reduce((sum, fall) => sum + fall, 0);
    return { amounts: { "credits.balance": 1_000 - fallen }, isSteady: true, atMs: 2_000 * at };
  });
}

/** The same, in a load that is over before it is steady. */
export function unsteady(falls: readonly number[]): AccountLedger["meanwhile"] {
  return falling([0, ...falls]).map((each) => ({ ...each, isSteady: false }));
}

/** The same, where those looks failed. */
export function failing(
  falls: readonly number[],
  failed: readonly number[],
): AccountLedger["meanwhile"] {
  return falling(falls).map((each, at) => (failed.includes(at) ? { ...each, amounts: {} } : each));
}
