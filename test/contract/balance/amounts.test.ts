/** What may be a balance in account records of any shape. */

import { describe, expect, it } from "vitest";
import { fallsBetween, pathsMoved, sameAmount } from "../../../contract/balance/changes.ts";
import { isClock, isStill, isTally } from "../../../contract/balance/kinds.ts";
import { namesOtherUnit } from "../../../contract/balance/names.ts";
import { findAmounts } from "../../../contract/balance/read.ts";

describe("findAmounts", () => {
  it.each([
    [{ balance: 5 }, { "me.balance": 5 }],
    [{ credits: { remaining: 5, month: "May" } }, { "me.credits.remaining": 5 }],
    [{ plan: "free", requests_left: 3 }, {}],
    [{ credits_used: [1, 2], history: [{ credits: 3 }] }, {}],
    [{ balance: "5.25" }, { "me.balance": 5.25 }],
    [{ balance: "5 credits", credit_note: "0x10" }, {}],
    [{ balance: { amount: 5, currency: "USD" } }, { "me.balance.amount (USD)": 5 }],
    [{ credit: { left: 5, unit: "dollars" } }, { "me.credit.left (USD)": 5 }],
    [{ balance: { amount: 5, currency: "credits" } }, { "me.balance.amount": 5 }],
    [{ balance: { amount: 5, currency: "EUR" } }, { "me.balance.amount (EUR)": 5 }],
    [{ currency: "USD", credits: { left: 5 } }, { "me.credits.left": 5 }],
    [
      { balance: { currencyCode: "USD", units: "99", nanos: 998_000_000 } },
      { "me.balance.units (USD)": 99.998 },
    ],
    [{ balance: { currency_code: "EUR", nanos: 500_000 } }, { "me.balance.units (EUR)": 0.0005 }],
    [{ balance: { currencyCode: "USD" } }, { "me.balance.units (USD)": 0 }],
    [{ balance: { currencyCode: "USD", units: "99" } }, { "me.balance.units (USD)": 99 }],
    [
      {
        balance: [
          { amount: 5, currency: "usd" },
          { amount: "7.5", unit: "points" },
        ],
      },
      { "me.balance[usd].amount (USD)": 5, "me.balance[points].amount (points)": 7.5 },
    ],
    [{ balance: [{ amount: 5, currency: "usd", job: "job_1" }] }, {}],
    [{ balance: [5, 6] }, {}],
    [
      {
        balance: [
          { amount: 5, currency: "usd" },
          { amount: 6, currency: "usd" },
        ],
      },
      {},
    ],
    [null, {}],
  ])("%j", (body, amounts) => {
    expect(findAmounts(body, "me")).toEqual(amounts);
  });

  it("reads every number of the credits record, as it stands under credits", () => {
    expect(findAmounts({ left: 5, plan: "free" }, "credits")).toEqual({ "credits.left": 5 });
  });
});

describe("fallsBetween", () => {
  it("tells what fell and by how much, rounding apart", () => {
    const before = { balance: 10, used: 1, exact: 0.3, gone: 4 };
    const after = { balance: 9.5, used: 2, exact: 0.1 + 0.2 - 1e-12 };
    expect(fallsBetween(before, after)).toEqual({ balance: 0.5 });
  });
});

describe("pathsMoved", () => {
  it("tells what rose, fell, came or went", () => {
    const before = { same: 5, up: 1, down: 4, gone: 2 };
    const after = { same: 5, up: 2, down: 3, come: 2 };
    expect(pathsMoved({ before, after })).toEqual(["up", "down", "gone", "come"]);
  });
});

describe("namesOtherUnit", () => {
  it.each([
    ["credits.tokens", true],
    ["credits.tokens.left", true],
    ["me.credits_used_percent", true],
    ["me.microCredits", true],
    ["me.balance (EUR)", true],
    ["me.balance (euro cents)", true],
    ["me.token_credits", false],
    ["me.tokens.credits_left", false],
    ["me.credits", false],
  ])("of %s: %s", (path, isOther) => {
    expect(namesOtherUnit(path)).toBe(isOther);
  });
});

describe("sameAmount", () => {
  it.each([
    [0.1 + 0.2, 0.3, true],
    [1_000_000.1, 1_000_000.2, true],
    [0.01, 0.011, false],
  ])("%f and %f: %s", (a, b, same) => {
    expect(sameAmount(a, b)).toBe(same);
  });
});

describe("amounts that move by themselves", () => {
  /** Spans of 1, 30 and 1 s, in which the amount becomes what is told. */
  const spans = (...values: readonly number[]) =>
    [1, 30, 1].map((seconds, at) => ({
      before: { left: values[at] ?? 0 },
      after: { left: values[at + 1] ?? 0 },
      seconds,
    }));

  it.each([
    ["seconds that count down", [90, 89, 59, 57], true],
    ["milliseconds that count up", [0, 1_010, 31_400, 32_450], true],
    ["a balance that also stands still", [90, 90, 60, 60], false],
    ["a balance that others use", [90, 89, 20, 19], false],
    ["nothing", [90, 90, 90, 90], false],
  ])("%s: a clock, %j: %s", (_, values, expected) => {
    expect(isClock("left", spans(...values))).toBe(expected);
  });

  it.each([
    ["a count of requests", [0, 2, 900, 902], true],
    ["a balance that others use", [90, 89, 20, 18], false],
    ["nothing", [90, 90, 20, 20], false],
  ])("%s: a tally, %j: %s", (_, values, expected) => {
    const [first, , last] = spans(...values);
    if (first === undefined || last === undefined) throw new Error("there are three spans");
    expect(isTally("left", [first, last])).toBe(expected);
  });
});

describe("isStill", () => {
  const [rest, fall, rise] = [5, 4, 6].map((balance) => ({
    before: { balance: 5 },
    after: { balance },
  }));

  it.each([
    ["takes quiet to tell", [], false],
    ["an amount that stood", [rest, rest], true],
    ["an amount that rose", [rest, rise], true],
    ["an amount that fell once", [rest, fall], false],
  ])("%s", (_, quiet, is) => {
    const known = quiet.flatMap((each) => each ?? []);
    expect(isStill("balance", known)).toBe(is);
  });
});
