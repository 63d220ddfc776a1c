/** The fall of the balance against the costs that jobs tell. */

import { describe, expect, it } from "vitest";
import type { AccountLedger } from "../../../../contract/judges/load/account-ledger.ts";
import { accountingClaim } from "../../../../contract/judges/load/accounting.ts";
import { unitsOf } from "../../../../contract/judges/load/which-balance.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Variant } from "../../../../contract/states.ts";
import {
  BEFORE,
  before,
  earlier,
  failing,
  falling,
  held,
  inCents,
  ledger,
  split,
  unsteady,
  wallets,
} from "./ledgers.ts";

const judged = (given: AccountLedger, variant: Variant) =>
  decide(accountingClaim([given], variant, "no account"));

interface Case {
  title: string;
  given: AccountLedger;
  variant?: Variant;
  verdict: string;
}

const EVEN = [8, 8.4, 7.9, 8.1, 8, 7.8, 8.2];

/** 3.7 for each credit that jobs cost. */
const IN_TOKENS = EVEN.map((each) => 3.7 * each);

const IN_CREDITS = { "credits.balance": 1 };

const IN_TENS = falling([20, 30, 20, 30, 20, 30]);

const IN_CENTS = { "credits.balance": 100 };

/** After those: a hundred credits more, and some that were held for jobs. */
const PAID = { "credits.balance": 1_000 - 56.4 + 100 };
const RELEASED = { "credits.balance": 1_000 - 56.4 + 7.5 };

const CASES: readonly Case[] = [
  { title: "the balance falls by the costs", given: ledger(163.95), verdict: "kept" },
  { title: "a rounding of 0.1 %", given: ledger(164.1), verdict: "kept" },
  { title: "1 % too much", given: ledger(165.5895), verdict: "broken" },
  { title: "1 % too little", given: ledger(162.3105), verdict: "broken" },
  {
    title: "too little all along",
    given: ledger(150, { meanwhile: falling(EVEN) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in at once",
    given: ledger(150, { meanwhile: falling([...EVEN, -6, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, as some was paid in before a look that failed",
    given: ledger(150, { meanwhile: failing([...EVEN, -6, ...EVEN], [7]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little all along, though looks failed",
    given: ledger(150, { meanwhile: failing([...EVEN, ...EVEN], [2, 6, 7, 11]) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in when the load ended",
    given: ledger(50, { meanwhile: [...falling(EVEN), { amounts: PAID, isSteady: false }] }),
    verdict: "inconclusive",
  },
  {
    title: "a balance in tokens, of which some were paid in, and it looks like credits",
    given: ledger(200, { meanwhile: falling([...IN_TOKENS, -390, ...IN_TOKENS]) }),
    verdict: "inconclusive",
  },
  {
    title: "more paid in than the jobs took",
    given: ledger(-236, { meanwhile: falling([...EVEN, -392, ...EVEN]), perCost: IN_CREDITS }),
    verdict: "inconclusive",
  },
  {
    title: "too much, as a fee was taken at once",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 58, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too much, as a fee was taken in a load that was hardly steady",
    given: ledger(213.95, { meanwhile: unsteady([2, 8, 8.4, 58, 7.9, 3]) }),
    verdict: "inconclusive",
  },
  {
    title: "too much all along in a load that was hardly steady",
    given: ledger(213.95, { meanwhile: unsteady([2, 8, 8.4, 8, 7.9, 3]) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid into a load that was hardly steady",
    given: ledger(113.95, { meanwhile: unsteady([2, 8, 8.4, -42, 7.9, 3]) }),
    verdict: "inconclusive",
  },
  {
    title: "too much all along, and a fee that is a small part of it",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 18, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too much, by less at once than a few jobs cost",
    given: ledger(168, { meanwhile: falling([...EVEN, 12, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "each job charged 1.2 times, and nothing paid in",
    given: ledger(200, { meanwhile: falling([...EVEN, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too little, and prices held for timeouts given back at the end",
    given: ledger(150, { meanwhile: [...falling(EVEN), { amounts: RELEASED, isSteady: false }] }),
    verdict: "broken",
  },
  {
    title: "too little, as an earlier job's hold ended",
    given: held(150, 20),
    verdict: "inconclusive",
  },
  { title: "too little, by more than was held", given: held(150, 5), verdict: "broken" },
  { title: "too much, and an earlier job's hold ended", given: held(180, 20), verdict: "broken" },
  {
    title: "too much, and a payment",
    given: ledger(180, { meanwhile: falling([...EVEN, -6, ...EVEN]) }),
    verdict: "broken",
  },
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
    title: "others use the account",
    given: ledger(170.5, { restless: ["credits.balance"] }),
    verdict: "inconclusive",
  },
  {
    title: "charges that are still being booked",
    given: ledger(120.5, { settling: ["credits.balance"] }),
    verdict: "inconclusive",
  },
  {
    title: "charges that were booked late",
    given: ledger(163.95, { settling: ["credits.balance"] }),
    verdict: "kept",
  },
  {
    title: "no more than jobs before the soak cost, booked late",
    given: ledger(170.5, { earlier: earlier({ cost: 8 }) }),
    verdict: "inconclusive",
  },
  {
    title: "more than jobs before the soak cost",
    given: ledger(172.5, { earlier: earlier({ cost: 8 }) }),
    verdict: "broken",
  },
  {
    title: "no more than jobs before the soak may cost, which told none",
    given: ledger(170.5, { earlier: earlier({ cost: 5, unknown: 3 }) }),
    verdict: "inconclusive",
  },
  {
    title: "too much, though all jobs before the soak had been booked",
    given: ledger(170.5, { earlier: earlier({ cost: 80, opened: { ...BEFORE, ...before(80) } }) }),
    verdict: "broken",
  },
  {
    title: "no more than was not booked of the jobs before the soak",
    given: ledger(170.5, { earlier: earlier({ cost: 80, opened: { ...BEFORE, ...before(73) } }) }),
    verdict: "inconclusive",
  },
  {
    title: "more than was not booked of the jobs before the soak",
    given: ledger(170.5, { earlier: earlier({ cost: 80, opened: { ...BEFORE, ...before(76) } }) }),
    verdict: "broken",
  },
  {
    title: "too much, after jobs of which nobody knows",
    given: ledger(300.5, { cost: 160, earlier: earlier({ isOpen: true }) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, though jobs ran before the soak",
    given: ledger(150.5, { earlier: earlier({ cost: 200 }) }),
    verdict: "broken",
  },
  {
    title: "jobs that are still open",
    given: ledger(150.5, { openJobs: 3 }),
    verdict: "inconclusive",
  },
  {
    title: "jobs that do not tell their cost",
    given: ledger(165.95, { unknownCosts: 2 }),
    verdict: "inconclusive",
  },
  {
    title: "more than those could have cost",
    given: ledger(168.95, { unknownCosts: 2 }),
    verdict: "broken",
  },
  { title: "a job of somebody else's", given: ledger(164.95), verdict: "inconclusive" },
  { title: "more than a few of them", given: ledger(166.95), verdict: "broken" },
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
  { title: "no balance can be read", given: ledger(0, { before: {} }), verdict: "unobserved" },
  { title: "jobs that cost nothing", given: ledger(0, { cost: 0 }), verdict: "unobserved" },
  { title: "nothing fell", given: ledger(0), verdict: "inconclusive" },
  {
    title: "a balance in thousandths of a credit",
    given: ledger(163.95, { cost: 0.16395 }),
    verdict: "unobserved",
  },
  {
    title: "included credits that run out, and bought ones",
    given: split({ included: 100, bought: 63.95 }),
    verdict: "inconclusive",
  },
  {
    title: "the same, beside costs in USD",
    given: {
      ...split({ included: 100, bought: 63.95 }),
      cost: 1.6395,
      perCost: { "credits.bought": 100 },
    },
    variant: "B",
    verdict: "inconclusive",
  },
  {
    title: "two amounts that are not the costs together",
    given: split({ included: 100, bought: 60.95 }),
    verdict: "broken",
  },
  {
    title: "half of the costs, shown twice",
    given: split({ included: 81.975, bought: 81.975 }),
    verdict: "broken",
  },
  {
    title: "half of the costs, shown twice, once in whole credits",
    given: wallets({ exact: [500.125, 81.975], whole: [500, 82] }),
    verdict: "broken",
  },
  {
    title: "credits of two kinds, used half and half",
    given: wallets({ included: [500.125, 81.975], bought: [2_000.5, 81.975] }),
    verdict: "inconclusive",
  },
  {
    title: "as many credits of two kinds, used nearly half and half",
    given: wallets({ included: [500.125, 82], bought: [500.125, 81.95] }),
    verdict: "inconclusive",
  },
  {
    title: "credits of three kinds, used in turn",
    given: wallets({ included: [100, 100], gift: [33.95, 33.95], bought: [700, 30] }),
    verdict: "inconclusive",
  },
  {
    title: "three amounts that are not the costs together",
    given: wallets({ included: [100, 100], gift: [33.95, 33.95], bought: [700, 25] }),
    verdict: "broken",
  },
  {
    title: "1 % too little, shown in hundredths as well",
    given: split({ included: 162.3105, bought: 1.623105 }),
    verdict: "broken",
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
    title: "a balance in credits beside costs in USD",
    given: ledger(163.95, { cost: 1.6395 }),
    variant: "B",
    verdict: "unobserved",
  },
];

describe("load.accounting", () => {
  it.each(CASES)("$title: $verdict", ({ given, variant = "A", verdict }) => {
    expect(judged(given, variant).verdict).toBe(verdict);
  });

  const COUNTDOWN = "credits.resets_in_seconds";
  const beside = (fall: number, change: Partial<AccountLedger> = {}) => {
    const before = { ...BEFORE, [COUNTDOWN]: 86_400 };
    // By chance it falls by about what the jobs cost, too.
    const after = { ...BEFORE, "credits.balance": 1_000 - fall, [COUNTDOWN]: 86_250 };
    return ledger(0, { before, after, clocks: [COUNTDOWN], ...change });
  };

  it.each([
    ["the costs, however it moves", beside(163.95), "kept"],
    ["a third of the jobs twice", beside(218.6), "broken"],
    ["too little yet", beside(120.5, { settling: ["credits.balance"] }), "inconclusive"],
    [
      "twice, and an amount that is no balance moves late",
      beside(218.6, { settling: ["me.credits_used"] }),
      "broken",
    ],
    ["and so do others", beside(170.5, { restless: ["credits.balance"] }), "inconclusive"],
    [
      "too little, and others' use reserves some",
      beside(170.5, { restless: ["credits.reserved"] }),
      "inconclusive",
    ],
    ["nothing", beside(0), "inconclusive"],
  ])("beside an amount that counts down by itself the balance falls by %s", (_, given, verdict) => {
    expect(judged(given, "A").verdict).toBe(verdict);
  });

  it.each([
    ["whose few jobs were free", ledger(0, { cost: 0, jobs: 4 }), "kept"],
    ["that paid for free jobs", ledger(1, { cost: 0, jobs: 4 }), "inconclusive"],
    ["whose free jobs may still be charged", ledger(0, { cost: 0, openJobs: 1 }), "inconclusive"],
    ["whose jobs were not charged", ledger(0, { jobs: 4 }), "inconclusive"],
  ])("beside an account that paid, one %s: %s", (_, other, verdict) => {
    const claim = accountingClaim(
      [ledger(163.95), { ...other, account: "two" }],
      "A",
      "no account",
    );
    expect(decide(claim).verdict).toBe(verdict);
  });

  it("one account's readings tell in which steps another's balance is shown", () => {
    const few = { ...ledger(170), account: "two" };
    const claim = accountingClaim([ledger(160, { meanwhile: IN_TENS }), few], "A", "no account");
    expect(decide(claim).verdict).toBe("inconclusive");
  });

  it("no countdown tells that the balance is kept in another unit", () => {
    const uncharged = { ...beside(0), cost: 1.64 };
    expect(judged(uncharged, "B").verdict).toBe("inconclusive");
  });

  it("takes a unit from amounts that were read before and after a job", () => {
    const tokens = { "credits.tokens": 4_000, "me.credits_used": 7 };
    expect(unitsOf(tokens, { ...tokens, "credits.tokens": 3_963 }, 0.5)).toEqual({
      "credits.tokens": 74,
    });
    expect(unitsOf(tokens, { "me.credits_used": 7 }, 0.5)).toEqual({});
    expect(unitsOf({}, tokens, 0.5)).toEqual({});
  });

  it("takes the amount that fits best of several that fell", () => {
    const before = { "credits.balance": 1_000, "credits.held_credits": 500 };
    const after = { "credits.balance": 836.05, "credits.held_credits": 380.5 };
    const finding = judged(ledger(0, { before, after }), "A");
    expect(finding).toMatchObject({
      verdict: "kept",
      summary: expect.stringMatching(/^one: credits\.balance fell/),
    });
  });
});
