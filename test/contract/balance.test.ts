/** What may be a balance in account records of any shape. */

import { describe, expect, it } from "vitest";
import { fallsBetween, findAmounts, pathsMoved, sameAmount } from "../../contract/balance.ts";

describe("findAmounts", () => {
  it.each([
    [{ balance: 5 }, { "me.balance": 5 }],
    [{ credits: { remaining: 5, month: "May" } }, { "me.credits.remaining": 5 }],
    [{ plan: "free", requests_left: 3 }, {}],
    [{ credits_used: [1, 2], history: [{ credits: 3 }] }, {}],
    [{ balance: "5.25" }, { "me.balance": 5.25 }],
    [{ balance: "5 credits", credit_note: "0x10" }, {}],
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
    expect(pathsMoved(before, after)).toEqual(["up", "down", "gone", "come"]);
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
