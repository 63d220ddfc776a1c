/** What is held once all jobs have ended, beside a balance that fell by what they cost. */

import { describe } from "vitest";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";
import { ledger } from "./ledgers.ts";
import type { AccountingCase } from "./table.ts";
import { testAccounting } from "./table.ts";

/** What a service shows that tells the whole, what is held of it, and what is left to spend. */
function amounts(total: number, reserved: number, available = total - reserved) {
  return {
    "credits.balance.total": total,
    "credits.balance.reserved": reserved,
    "credits.balance.available": available,
  };
}

const BEFORE = amounts(1_000, 2);

/** After jobs that cost 163.95. */
function holding(reserved: number, change: Partial<AccountLedger> = {}): AccountLedger {
  const after = amounts(836.05, reserved);
  return ledger(0, { before: BEFORE, after, dearest: 1, ...change });
}

const AMID = [{ amounts: amounts(900, 20), isSteady: true }];

const CASES: readonly AccountingCase[] = [
  { title: "no more than before them", given: holding(2), verdict: "kept" },
  { title: "less than before them", given: holding(0), verdict: "kept" },
  { title: "a price of many jobs", given: holding(10), verdict: "broken" },
  {
    title: "a price of many jobs, as was held while they ran",
    given: holding(10, { meanwhile: AMID }),
    verdict: "broken",
  },
  { title: "a price of one job, which may be others'", given: holding(3), verdict: "inconclusive" },
  {
    title: "what is given back yet",
    given: holding(10, { settling: ["credits.balance.reserved", "credits.balance.available"] }),
    verdict: "inconclusive",
  },
  {
    title: "what moved in the quiet",
    given: holding(10, { restless: ["credits.balance.available"] }),
    verdict: "inconclusive",
  },
  {
    title: "a price of many jobs, of no rest that is told",
    given: ledger(0, {
      before: { "credits.total": 1_000, "credits.reserved": 2 },
      after: { "credits.total": 836.05, "credits.reserved": 10 },
    }),
    verdict: "kept",
  },
  {
    title: "what was no part of the whole while they ran",
    given: holding(10, { meanwhile: [{ amounts: amounts(900, 20, 900), isSteady: true }] }),
    verdict: "kept",
  },
];

describe("load.accounting where something is held after the jobs", () => testAccounting(CASES));
