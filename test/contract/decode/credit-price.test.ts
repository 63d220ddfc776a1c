/** A price in credits is found under any likely name, and guessed from no other one. */

import { describe, expect, it } from "vitest";
import { creditsPerRun } from "../../../contract/decode/credit-price.ts";

describe("creditsPerRun", () => {
  it.each([
    [{ price_credits: 2 }, 2],
    [{ credits_per_run: 0 }, 0],
    [{ creditCost: 1.5 }, 1.5],
    [{ pricing: { credits: 3, usd: 0.03 } }, 3],
    [{ price_credits: 2, credits_per_run: 2 }, 2],
    [{ price_credits: 2, credits_per_run: 4 }, null],
    [{ usd_per_credit: 0.01 }, null],
    [{ price_per_credit: 0.01 }, null],
    [{ credits_per_second_price: 1 }, null],
    [{ credits: 100 }, null],
    [{ price_credits: "2" }, null],
    [{ price_credits: -1 }, null],
    [{}, null],
    [null, null],
  ])("of %j is %s", (detail, credits) => {
    expect(creditsPerRun(detail)).toBe(credits);
  });
});
