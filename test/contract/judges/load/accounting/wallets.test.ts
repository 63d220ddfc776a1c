/** Amounts that fell alike: one balance that is shown twice, or two wallets that pay together. */

import { expect, it } from "vitest";
import type { Look } from "../../../../../contract/balance/bookings.ts";
import { accountingClaim } from "../../../../../contract/judges/load/accounting/accounting.ts";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { ledger } from "./ledgers.ts";

/** What an amount shows before the load, amid it and after it. */
type Shown = Readonly<Record<string, readonly [number, number, number]>>;

function showing(amounts: Shown, change: Partial<AccountLedger> = {}): AccountLedger {
  const at = (time: 0 | 1 | 2) =>
    Object.fromEntries(Object.entries(amounts).map(([path, read]) => [path, read[time]]));
  const meanwhile = [{ amounts: at(1), isSteady: true }];
  return ledger(0, { before: at(0), meanwhile, after: at(2), cost: 160, ...change });
}

/** Falls by a half of the costs. */
const HALF = [500.25, 460.25, 420.25] as const;
const LESS_RESERVE = [480.25, 440.25, 400.25] as const;
const MORE = [900.25, 860.25, 820.25] as const;

it.each([
  ["a plain balance", { "credits.balance": HALF }, "broken"],
  ["a balance on two endpoints", { "me.credits": HALF, "credits.balance": HALF }, "broken"],
  [
    "one on two that are read one after the other",
    { "me.credits": HALF, "credits.balance": [500.25, 458.25, 420.25] },
    "broken",
  ],
  ["one on two, by names unknown", { "me.credits.x": HALF, "credits.y": HALF }, "broken"],
  ["a balance and the same available", { "me.balance": HALF, "me.credits_left": HALF }, "broken"],
  [
    "a balance, and what is available of it but a reserve",
    { "credits.balance": HALF, "credits.available": LESS_RESERVE },
    "broken",
  ],
  [
    "the same, in camel case",
    { "credits.totalBalance": HALF, "me.availableCredits": LESS_RESERVE },
    "broken",
  ],
  [
    "a balance and an available one whose distance changed meanwhile",
    { "credits.balance": HALF, "credits.available": [480.25, 430.25, 400.25] },
    "inconclusive",
  ],
  [
    "a cash balance, and credits, neither of which is a part of the other",
    { "me.balance": HALF, "me.credits": MORE },
    "inconclusive",
  ],
  [
    "a month's remaining credits, and a balance",
    { "me.credits_remaining": HALF, "credits.balance": MORE },
    "inconclusive",
  ],
  [
    "wallets that began alike",
    { "credits.included": HALF, "credits.bought": HALF },
    "inconclusive",
  ],
  [
    "wallets that began alike, each on two endpoints",
    { "me.credits.a": HALF, "me.credits.b": HALF, "credits.a": HALF, "credits.b": HALF },
    "inconclusive",
  ],
  [
    "wallets of unlike amounts, of which one is called available",
    { "credits.bought_available": HALF, "credits.available": MORE },
    "inconclusive",
  ],
] as const)("half of the costs on %s: %#", (_, amounts, verdict) => {
  const claim = accountingClaim([showing(amounts)], "A", "no account");
  expect(decide(claim).verdict).toBe(verdict);
});

it("one of two that show the same balance may be in whole tens", () => {
  const amounts = {
    "credits.balance": [503.25, 461.25, 423.25],
    "credits.available": [500, 460, 420],
  } as const;
  const few = [490, 470, 410].map((each) => ({
    amounts: { "credits.available": each },
    isSteady: true,
  }));
  const given = showing(amounts);
  const shown = ({ amounts: { "credits.available": left = 0 } }: Look) => left;
  const meanwhile = [...given.meanwhile, ...few].toSorted((a, b) => shown(b) - shown(a));
  const claim = accountingClaim([{ ...given, meanwhile, dearest: 0.9 }], "A", "no account");
  expect(decide(claim).verdict).toBe("broken");
});

/** 400 credits that are included are used up, and the rest comes off what was bought. */
it.each([
  ["as much as jobs cost", 198, "kept"],
  ["a tenth more", 258, "inconclusive"],
] as const)("two wallets in credits and in USD that paid %s in turn", (_, bought, verdict) => {
  const fell = (from: number, by: number) => [from, from - by / 2, from - by] as const;
  const given = showing(
    {
      "credits.included.balance": fell(400, 400),
      "credits.included.balance_usd": fell(4, 4),
      "credits.balance": fell(9_000, bought),
      "credits.balance_usd": fell(90, bought / 100),
    },
    { cost: 5.98, jobs: 377, dearest: 0.0196 },
  );
  expect(decide(accountingClaim([given], "B", "no account")).verdict).toBe(verdict);
});

it("what a postpaid account owes is told in the costs' unit by all of a load's jobs", () => {
  const owed = { "credits.balance_due": 0 };
  const given = (rise: number) =>
    ledger(0, {
      before: owed,
      after: { "credits.balance_due": rise },
      perCost: { "credits.balance_due": -1.1 },
      perCostError: { "credits.balance_due": 0.11 },
      ...{ cost: 5.98, jobs: 600, dearest: 0.01 },
    });
  const verdictOf = (rise: number) =>
    decide(accountingClaim([given(rise)], "B", "no account")).verdict;
  expect([verdictOf(5.98), verdictOf(6.3)]).toEqual(["kept", "unobserved"]);
});

it.each([
  ["by what jobs cost", { "credits.usd_used": 5.98 }, "kept"],
  ["by something else", { "credits.usd_used": 6.3 }, "inconclusive"],
  ["beside a balance that stands", { "credits.used": 5.98, "me.balance_usd": 0 }, "inconclusive"],
] as const)("what an account whose unit no job showed has used rises %s", (_, rises, verdict) => {
  const before = Object.fromEntries(Object.keys(rises).map((path) => [path, 0]));
  const given = ledger(0, { before, after: rises, cost: 5.98, jobs: 600, dearest: 0.01 });
  expect(decide(accountingClaim([given], "B", "no account")).verdict).toBe(verdict);
});

it.each([
  ["as much as jobs cost", [3.97, 3.5, 2.93], "kept"],
  ["less", [3.97, 3.5, 3.05], "broken"],
  ["all that it had, and too little", [0.97, 0.5, 0], "broken"],
] as const)("a wallet that is used up first, and paid %s alone", (_, included, verdict) => {
  const given = showing(
    { "credits.included.balance_usd": included, "credits.balance_usd": [99_996, 99_996, 99_996] },
    { cost: 104, jobs: 116 },
  );
  const unit = { "credits.balance_usd": 0.01 };
  const other = showing(
    { "credits.balance_usd": [99_996, 99_993, 99_990.73] },
    { cost: 527, jobs: 611, perCost: unit },
  );
  const claim = accountingClaim([other, { ...given, perCost: unit }], "A", "no account");
  expect(decide(claim).verdict).toBe(verdict);
});
