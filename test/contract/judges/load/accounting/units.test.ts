/** The unit of a balance, and the steps in which it is shown. */

import { describe, expect, it } from "vitest";
import { unitsOf } from "../../../../../contract/balance/unit-cost.ts";
import { accountingClaim } from "../../../../../contract/judges/load/accounting/accounting.ts";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { falling, inCents, ledger, wallets } from "./ledgers.ts";
import type { AccountingCase } from "./table.ts";
import { judged, testAccounting } from "./table.ts";

const IN_TENS = falling([20, 30, 20, 30, 20, 30]);

const IN_CENTS = { "credits.balance": 100 };

/** Jobs that move a balance of two decimals by less than fifty of its steps each. */
function cheap(fall: number, cost: number) {
  const [before, after] = [1_000.01, 1_000.01 - fall].map((left) => ({ "credits.balance": left }));
  const jobs = { cost, jobs: 156, dearest: 0.013, perCost: IN_CENTS };
  return ledger(0, { before: before ?? {}, after: after ?? {}, ...jobs });
}

const CASES: readonly AccountingCase[] = [
  { title: "a balance shown in whole credits", given: ledger(164), verdict: "kept" },
  { title: "whole credits that are too many", given: ledger(167), verdict: "broken" },
  {
    title: "a balance shown in tens of credits",
    given: ledger(170, { meanwhile: IN_TENS }),
    verdict: "inconclusive",
  },
  {
    title: "tens of credits that are too many",
    given: ledger(180, { meanwhile: IN_TENS }),
    verdict: "broken",
  },
  {
    title: "tens of credits of more than a thousand",
    given: ledger(1_640, { meanwhile: IN_TENS, cost: 1_635, jobs: 2_000 }),
    verdict: "kept",
  },
  {
    title: "1 % too much of thousands, in tens",
    given: ledger(4_040, { meanwhile: IN_TENS, cost: 4_000, jobs: 5_000, dearest: 0.9 }),
    verdict: "broken",
  },
  {
    title: "one of the jobs that cost ten credits each, twice",
    given: ledger(170, { meanwhile: IN_TENS, cost: 160, dearest: 10, jobs: 16 }),
    verdict: "broken",
  },
  {
    title: "too much by two readings that are in tens by chance",
    given: ledger(170),
    verdict: "broken",
  },
  {
    title: "a balance in tens, of which one job shows the unit badly",
    given: ledger(170, { meanwhile: IN_TENS, cost: 1.45, dearest: 0.01, perCost: IN_CENTS }),
    variant: "B",
    verdict: "unobserved",
  },
  {
    title: "a balance in a unit that one job showed",
    given: ledger(606.615, { perCost: { "credits.balance": 37 }, cost: 16.395, dearest: 0.1 }),
    verdict: "kept",
  },
  {
    title: "5 % too much in such a unit",
    given: ledger(636.945_75, { perCost: { "credits.balance": 37 }, cost: 16.395, dearest: 0.1 }),
    verdict: "broken",
  },
  {
    title: "too much in one that a job hardly shows",
    given: ledger(636, { perCost: { "credits.balance": 37 }, cost: 16.395, dearest: 0.1 }),
    verdict: "unobserved",
  },
  {
    title: "cheap jobs in a unit of just 100 to one, in which nothing is rounded",
    given: cheap(60.1, 0.601),
    variant: "B",
    verdict: "kept",
  },
  {
    title: "10 % too much in such a unit",
    given: cheap(66.1, 0.601),
    variant: "B",
    verdict: "broken",
  },
  {
    title: "10 % too much in one in which the costs are no whole steps",
    given: cheap(66.1, 0.601_05),
    variant: "B",
    verdict: "broken",
  },
  {
    title: "20 % too much in a unit that a job much cheaper than others told",
    given: ledger(7_280, {
      perCost: { "credits.balance": 37 },
      perCostError: { "credits.balance": 8 },
      ...{ cost: 163.95, jobs: 20, dearest: 10 },
    }),
    verdict: "unobserved",
  },
  {
    title: "one whole token for a cheap job, where it is worth 1.3 of them",
    given: ledger(80, { perCost: IN_CENTS, cost: 0.6, jobs: 60, dearest: 0.01 }),
    variant: "B",
    verdict: "unobserved",
  },
  {
    title: "4 % too much in one in which the costs are no whole steps",
    given: cheap(62.5, 0.601_05),
    variant: "B",
    verdict: "unobserved",
  },
  {
    title: "a balance in thousandths of a credit",
    given: ledger(163.95, { cost: 0.16395 }),
    verdict: "unobserved",
  },
  {
    title: "ten times the costs",
    given: ledger(163.95, { cost: 16.395 }),
    verdict: "inconclusive",
  },
  {
    title: "whole cents of a balance in USD, beside costs in credits",
    given: inCents(1.64),
    verdict: "unobserved",
  },
  { title: "5 % more of such a balance", given: inCents(1.72), verdict: "inconclusive" },
  {
    title: "a balance in cents, two for each credit, as a job shows",
    given: wallets(
      { balance_cents: [5_000.001, 327.9] },
      { perCost: { "credits.balance_cents": 2 } },
    ),
    verdict: "kept",
  },
  {
    title: "5 % more of such a balance",
    given: wallets(
      { balance_cents: [5_000.001, 344.3] },
      { perCost: { "credits.balance_cents": 2 } },
    ),
    verdict: "broken",
  },
  {
    title: "a balance in credits beside costs in USD",
    given: ledger(163.95, { cost: 1.6395 }),
    variant: "B",
    verdict: "unobserved",
  },
];

describe("load.accounting in units and steps", () => {
  testAccounting(CASES);

  it("one account's readings tell in which steps another's balance is shown", () => {
    const few = { ...ledger(170), name: "two" };
    const { verdict } = judged([ledger(160, { meanwhile: IN_TENS }), few]);
    expect(verdict).toBe("inconclusive");
  });

  it("takes a unit from amounts that were read before and after a job", () => {
    const tokens = { "credits.tokens": 4_000, "me.credits_used": 7 };
    expect(
      unitsOf({ before: tokens, after: { ...tokens, "credits.tokens": 3_963 }, cost: 0.5 }),
    ).toEqual({
      "credits.tokens": 74,
    });
    expect(unitsOf({ before: tokens, after: { "me.credits_used": 7 }, cost: 0.5 })).toEqual({});
    expect(unitsOf({ before: {}, after: tokens, cost: 0.5 })).toEqual({});
  });
});

describe("a unit that one job alone told, as another moved nothing", () => {
  const told = (fall: number, more: Partial<AccountLedger> = {}) => {
    return { ...cheap(fall, 1.04), isUnitLone: true, ...more };
  };
  /** A tenth of a credit is a step, a credit is 10 cents, and a job takes a tenth of a step. */
  const coarse = {
    ...{ before: { "credits.balance": 1_000.1 }, after: { "credits.balance": 990.1 } },
    ...{ cost: 1, jobs: 1_000, dearest: 0.001, perCost: IN_CENTS, perCostError: IN_CENTS },
  };

  it.each([
    ["tells that most jobs were not charged", told(20.8), "broken"],
    ["tells that all were", told(104), "kept"],
    ["tells nothing where it may have come with that of the other", told(52), "unobserved"],
    ["tells nothing where it moved one step", told(0, coarse), "unobserved"],
    [
      "tells nothing where others use the account",
      told(20.8, { restless: ["me.credits_used"] }),
      "unobserved",
    ],
  ] as const)("%s", (_, account, verdict) => {
    expect(decide(accountingClaim([account], "B", "no account")).verdict).toBe(verdict);
  });
});

describe("a unit that a job showed within seconds, where charges are booked late", () => {
  const perCost = { "credits.balance": 96.15 };
  const jobs = { cost: 1.0456, jobs: 116, dearest: 0.0104, perCost };
  const other = ledger(480, { ...jobs, name: "two", cost: 5, settling: ["credits.balance"] });
  const one = (isUnitRested: boolean) => ledger(104.56, { ...jobs, isUnitRested });

  it.each([
    ["is in doubt where another account settles", [one(false), other], "inconclusive"],
    ["tells where that job's charge had its minute", [one(true), other], "broken"],
    ["tells where no account settles", [one(false)], "broken"],
  ] as const)("%s", (_, ledgers, verdict) => {
    expect(decide(accountingClaim(ledgers, "B", "no account")).verdict).toBe(verdict);
  });
});
