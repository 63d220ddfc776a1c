/**
 * load.accounting: the balance falls by the sum of what the jobs say that they cost. Spec §1.4.
 *
 * No field of an account is promised, so its amounts are what is numeric and speaks of a balance:
 * which of them jobs are charged to, in which unit and how finely shown, has to be found out.
 *
 *  1. An account is read before, amid and after a load (readings.ts); with what its jobs cost, that
 *     is its ledger (accounts.ts, ledger.ts; what earlier jobs may still cost: earlier.ts).
 *  2. All ledgers together show the steps to which amounts are rounded (steps.ts), what a unit of
 *     cost is where one job shows it too coarsely (unit.ts, common-unit.ts), and how exactly.
 *  3. Of each account the amounts that may be its balance are chosen (which-balance.ts): those that
 *     fell by about the costs, or else by what a job of known cost showed.
 *  4. The fall of the best of them is compared with the costs (compare.ts). Where they differ,
 *     several amounts may pay together (wallets.ts), something may have been paid in or taken at
 *     once (moved-at-once.ts), or one of the moves of lawful-moves.ts leaves it open. Where they
 *     agree, nothing may be held any more (still-held.ts).
 */

import { fallsBetween } from "../../../balance/changes.ts";
import { commonSteps } from "../../../balance/steps.ts";
import type { Claim } from "../../../judging/claim.ts";
import { NO_FAULTS } from "../../../judging/claim.ts";
import type { Variant } from "../../../states.ts";
import type { Json } from "../../../verdict.ts";
import { withCommonUnits } from "./common-unit.ts";
import type { Compared } from "./compare.ts";
import { compared, isExact } from "./compare.ts";
import type { Account, AccountLedger, Balance, UnitError } from "./ledger.ts";
import { accountAlone, amountsRead } from "./ledger.ts";
import { toleranceOf } from "./steps.ts";
import { balancesIn } from "./which-balance.ts";

/** Of all accounts of a load; `without`: why there may be none. */
export function accountingClaim(
  all: readonly AccountLedger[],
  variant: Variant,
  without: string,
): Claim {
  const found = comparedTogether(all, variant);
  const sampled = found.flatMap((each, at) => {
    return "sample" in each ? [{ ...each, jobs: all[at]?.jobs ?? 0 }] : [];
  });
  const surely = sampled.filter(({ isNoDoubt }) => isNoDoubt !== true);
  const told = surely.length > 0 ? surely : sampled;
  const read = told.map(({ sample }) => sample);
  const units = [...new Set(told.flatMap(({ unit }) => unit ?? []))];
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
    notTried: units.map((path) => `whether ${path} counts all jobs too high, or too low`),
    without: unread[0]?.without ?? without,
    quorum: { openShare: 0 },
    evidence: Object.fromEntries(all.map((ledger) => [ledger.name, evidenceOf(ledger)])),
  };
}

/** Each with what all of them show together. */
function comparedTogether(all: readonly AccountLedger[], variant: Variant): readonly Compared[] {
  const settling = all.flatMap((ledger) => ledger.settling);
  const shown = { ...commonSteps(all.flatMap(amountsRead)), settling, unitErrors: [] };
  const alike = withCommonUnits(all.map((each) => ({ ...accountAlone(each, variant), shown })));
  const accounts = alike.map((account) => ({ account, balances: balancesIn(account) }));
  const unitErrors = accounts.flatMap(({ account, balances }) => unitErrorsOf(account, balances));
  return accounts.map(({ account, balances }) => {
    return compared({ ...account, shown: { ...shown, unitErrors } }, balances);
  });
}

/** A load that took just what its jobs cost shows the unit as finely as all of them do together. */
function unitErrorsOf(account: Account, balances: readonly Balance[]): readonly UnitError[] {
  return balances.flatMap((balance) => {
    const { path, perCost } = balance;
    const costs = account.cost * Math.abs(perCost);
    const isShown = costs > 0 && isExact(account, balance);
    return isShown ? [{ path, perCost, share: toleranceOf(account, balance) / costs }] : [];
  });
}

function evidenceOf(ledger: AccountLedger): Readonly<Record<string, Json>> {
  const { jobs, cost, unknownCosts, openJobs, before, after } = ledger;
  return { jobs, cost, unknownCosts, openJobs, falls: fallsBetween(before, after) };
}
