/** The fall of the balance against the costs that jobs tell. */

import { describe, expect, it } from "vitest";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";
import { BEFORE, before, earlier, ledger, split, wallets } from "./ledgers.ts";
import type { AccountingCase } from "./table.ts";
import { judged, testAccounting } from "./table.ts";

const CASES: readonly AccountingCase[] = [
  { title: "the balance falls by the costs", given: ledger(163.95), verdict: "kept" },
  { title: "a rounding of 0.1 %", given: ledger(164.1), verdict: "kept" },
  { title: "1 % too much", given: ledger(165.5895), verdict: "broken" },
  { title: "1 % too little", given: ledger(162.3105), verdict: "broken" },
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
    title: "jobs that do not tell their cost, and may be dearer than all that do",
    given: ledger(168.95, { unknownCosts: 2 }),
    verdict: "inconclusive",
  },
  {
    title: "less than those cost that tell it",
    given: ledger(150.5, { unknownCosts: 2 }),
    verdict: "broken",
  },
  { title: "a job of somebody else's", given: ledger(164.95), verdict: "inconclusive" },
  { title: "more than a few of them", given: ledger(166.95), verdict: "broken" },
  { title: "no balance can be read", given: ledger(0, { before: {} }), verdict: "unobserved" },
  { title: "jobs that cost nothing", given: ledger(0, { cost: 0 }), verdict: "unobserved" },
  { title: "nothing fell", given: ledger(0), verdict: "inconclusive" },
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
    given: wallets({ balance: [500.125, 81.975], available: [500.125, 81.975] }),
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
    verdict: "kept",
  },
  {
    title: "credits of three kinds, one of them used before another was used up",
    given: wallets({ included: [100, 100], gift: [50, 33.95], bought: [700, 30] }),
    verdict: "inconclusive",
  },
  {
    title: "credits that are used up, and others in turn, by 1 % too much",
    given: wallets({ included: [100, 100], bought: [700, 65.5895] }),
    verdict: "broken",
  },
  {
    title: "credits that are used up, and others that others use, too",
    given: {
      ...wallets({ included: [100, 100], bought: [700, 63.95] }),
      restless: ["credits.bought"],
    },
    verdict: "inconclusive",
  },
  {
    title: "three amounts that are not the costs together",
    given: wallets({ included: [100, 100], gift: [33.95, 33.95], bought: [700, 25] }),
    verdict: "broken",
  },
  {
    title: "1 % too little, shown in hundredths as well",
    given: wallets({ balance: [500.125, 162.3105], in_hundreds: [5.00125, 1.623105] }),
    verdict: "broken",
  },
  {
    title: "1 % too little of what began at nothing, shown in hundredths as well",
    given: wallets({ balance: [0, 162.3105], in_hundreds: [0, 1.623105] }),
    verdict: "broken",
  },
  {
    title: "a wallet that is used up, and a hundredth of that from the next one",
    given: wallets({ included: [162.3, 162.3], bought: [500.125, 1.623] }, { cost: 163.923 }),
    verdict: "kept",
  },
];

describe("load.accounting", () => {
  testAccounting(CASES);

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
    expect(judged([given]).verdict).toBe(verdict);
  });

  it.each([
    ["whose few jobs were free", ledger(0, { cost: 0, jobs: 4 }), "kept"],
    ["that paid for free jobs", ledger(1, { cost: 0, jobs: 4 }), "inconclusive"],
    ["whose free jobs may still be charged", ledger(0, { cost: 0, openJobs: 1 }), "inconclusive"],
    ["whose jobs were not charged", ledger(0, { jobs: 4 }), "inconclusive"],
  ])("beside an account that paid, one %s: %s", (_, other, verdict) => {
    const found = judged([ledger(163.95), { ...other, name: "two" }]);
    expect(found.verdict).toBe(verdict);
  });

  it.each([
    ["that cost what is known", {}, /: others use the account: its balance moves/],
    ["that are open", { unknown: 3 }, /, or jobs before the soak end late: its balance moves/],
  ])("of a restless balance after jobs %s", (_, before, reason) => {
    const given = ledger(170.5, { restless: ["credits.balance"], earlier: earlier(before) });
    expect(`: ${judged([given]).reason}`).toMatch(reason);
  });

  it("no countdown tells that the balance is kept in another unit", () => {
    const uncharged = { ...beside(0), cost: 1.64 };
    expect(judged([uncharged], "B").verdict).toBe("inconclusive");
  });

  it("takes the amount that fits best of several that fell", () => {
    const before = { "credits.balance": 1_000, "credits.held_credits": 500 };
    const after = { "credits.balance": 836.05, "credits.held_credits": 380.5 };
    const finding = judged([ledger(0, { before, after })]);
    expect(finding).toMatchObject({
      verdict: "kept",
      summary: expect.stringMatching(/^one: credits\.balance fell/),
    });
  });
});
