/** What a coarse balance may hide: never as much as the deviation that is looked for. */

import { describe, expect, it } from "vitest";
import { accountingClaim } from "../../../../../contract/judges/load/accounting/accounting.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { falling, ledger } from "./ledgers.ts";

const IN_TENS = falling([20, 30, 20, 30, 20, 30]);

it.each([
  ["whole credits, nearly half a percent off", 201, 200.01, "kept"],
  ["whole credits, half a percent off", 201, 200, "inconclusive"],
  ["whole credits, 1 % off", 101, 100, "inconclusive"],
  ["whole credits, more than one off", 102, 100, "broken"],
] as const)("%s: %#", (_, fall, cost, verdict) => {
  const claim = accountingClaim([ledger(fall, { cost, jobs: 150 })], "A", "no account");
  expect(decide(claim).verdict).toBe(verdict);
});

it.each([
  ["a little off", 1_010, 1_006, "kept"],
  ["nearly 1 % off", 1_010, 1_000.5, "inconclusive"],
  ["2 % off", 1_020, 1_000.5, "broken"],
] as const)("tens of credits, %s", (_, fall, cost, verdict) => {
  const given = ledger(fall, { cost, jobs: 150, meanwhile: IN_TENS });
  const claim = accountingClaim([given], "A", "no account");
  expect(decide(claim).verdict).toBe(verdict);
});

it.each([
  ["two more readings of it, as may be chance", [20, 25], 405, "inconclusive"],
  ["two more readings of it, charged too much", [20, 25], 410, "broken"],
  ["six more readings of it: the other account tells", [20, 25, 20, 25, 20, 25], 405, "kept"],
] as const)("whole credits that are multiples of five in %s: %#", (_, falls, fall, verdict) => {
  const fives = ledger(fall, { cost: 400, jobs: 600, meanwhile: falling(falls) });
  const claim = accountingClaim([ledger(200, { cost: 199.99 }), fives], "A", "no account");
  expect(decide(claim).verdict).toBe(verdict);
});

const FEW = { cost: 18.45, jobs: 22, name: "few" };
const SOME = { cost: 64.55, jobs: 96, name: "some" };

it.each([
  ["whole credits, of few jobs", 19, FEW, "kept"],
  ["whole credits, of few jobs that were charged too much", 21, FEW, "broken"],
  ["whole credits of 64.55, rounded by more than half a percent", 65, SOME, "kept"],
  ["whole credits of 64.55, charged too much", 66, SOME, "broken"],
] as const)("%s: the other account tells", (_, fall, few, verdict) => {
  const both = [ledger(201, { cost: 200.01 }), ledger(fall, few)];
  expect(decide(accountingClaim(both, "A", "no account")).verdict).toBe(verdict);
});

it("tokens, of which a job shows only roughly what they are worth: the other account tells", () => {
  const unclear = { cost: 16.395, dearest: 0.1, perCost: { "credits.balance": 37 } };
  const both = [ledger(201, { cost: 200.01 }), ledger(636, { ...unclear, name: "tokens" })];
  expect(decide(accountingClaim(both, "A", "no account")).verdict).toBe("kept");
});

describe("a unit that one job shows roughly, and all of another account's exactly", () => {
  const perCost = { "credits.balance": 100 };
  const inUsd = { perCost, dearest: 0.02, jobs: 300 };
  const other = ledger(37, { ...inUsd, cost: 0.37, jobs: 100, name: "other" });
  it.each([
    ["just as much", 121, perCost, "kept"],
    ["3 % less, as updates of the balance were lost", 117, perCost, "broken"],
    ["more, where a job of its own shows another unit", 124, { "credits.balance": 50 }, "kept"],
  ])("%s: %#", (_, fall, shown, verdict) => {
    const given = ledger(fall, { ...inUsd, cost: 1.21, perCost: shown });
    expect(decide(accountingClaim([given, other], "B", "no account")).verdict).toBe(verdict);
  });
});

it("whole credits, of few jobs alone, leave a doubt, after which more are asked for", () => {
  const { verdict } = decide(accountingClaim([ledger(19, FEW)], "A", "no account"));
  expect(verdict).toBe("inconclusive");
});

describe("whole tokens, of which a job costs about four: several accounts tell the unit", () => {
  const perCost = { "credits.balance": 400 };
  const tokens = (account: string, fall: number, cost: number) =>
    ledger(fall, { name: account, cost, jobs: 100 * cost, dearest: 0.01, perCost });
  const own = [tokens("one", 3_703, 10), tokens("two", 2_222, 6)];

  it.each([
    ["a third fell by the same for each job", [...own, tokens("three", 741, 2)], "kept"],
    ["a third was charged twice", [...own, tokens("three", 1_481, 2)], "broken"],
    ["two were charged twice", [...own, tokens("a", 1_481, 2), tokens("b", 741, 1)], "broken"],
    ["a third is 3 % dearer, as whole tokens are charged", [...own, tokens("c", 763, 2)], "kept"],
    ["a third is 8 % dearer", [...own, tokens("three", 801, 2)], "broken"],
    ["none agrees with another", own.slice(1), "unobserved"],
    ["one alone was charged twice", [tokens("one", 7_407, 10)], "broken"],
  ] as const)("%s", (_, ledgers, verdict) => {
    expect(decide(accountingClaim(ledgers, "B", "no account")).verdict).toBe(verdict);
  });

  it("leaves out whether all jobs cost too much alike", () => {
    const { strength } = decide(accountingClaim(own, "B", "no account"));
    expect(strength?.notTried).toEqual([
      "whether credits.balance counts all jobs too high, or too low",
    ]);
  });
});

describe("whole credits, of which a job of a cent costs one: two accounts tell the unit", () => {
  const one = { "credits.balance": 100 };
  const given = { perCost: one, perCostError: one, dearest: 0.01 };
  const account = (name: string, fall: number, cost: number) =>
    ledger(fall, { ...given, name, cost, jobs: 100 * cost });

  it.each([
    ["100 for each USD", 1_000, 600, "kept"],
    ["both lack 1 charge in 20", 951, 570, "unobserved"],
    ["both took 1 charge in 20 twice", 1_051, 630, "unobserved"],
    ["so far from 100 that they are in another unit", 1_330, 798, "kept"],
  ] as const)("%s", (_, fall, other, verdict) => {
    const ledgers = [account("one", fall, 10), account("two", other, 6)];
    expect(decide(accountingClaim(ledgers, "B", "no account")).verdict).toBe(verdict);
  });
});

it("is not taken for credits where a job of one credit moved it by a step of one", () => {
  const one = { "credits.balance": 1 };
  const given = { cost: 484.25, jobs: 611, dearest: 1.25, perCost: one, perCostError: one };
  const claim = (fall: number) => accountingClaim([ledger(fall, given)], "A", "no account");
  expect(decide(claim(36)).verdict).toBe("unobserved");
  expect(decide(claim(3_600)).verdict).toBe("broken");
});

describe("hundredths, of which a job costs 160 or so: several accounts tell the unit", () => {
  const given = { perCost: { "credits.balance": 134 }, perCostError: { "credits.balance": 0.9 } };
  const tokens = (account: string, cost: number, units: number) => {
    const fall = Number((cost * units).toFixed(2));
    return ledger(fall, {
      name: account,
      cost,
      jobs: Math.round(81 * cost),
      dearest: 0.0125,
      ...given,
    });
  };

  it.each([
    ["all fell by as much for each job", [133.3, 133.3, 133.3], "kept"],
    ["a third fell by 3 % more", [133.3, 133.3, 137.3], "broken"],
    ["one alone is a little off", [133.3], "inconclusive"],
  ] as const)("%s", (_, units, verdict) => {
    const costs = [5.0257, 3.1141, 1.0455];
    const ledgers = units.map((unit, at) => tokens(`account ${at}`, costs[at] ?? 0, unit));
    expect(decide(accountingClaim(ledgers, "B", "no account")).verdict).toBe(verdict);
  });
});
