/** The tail of the binomial distribution, beside tables and the sum of all its terms. */

import { describe, expect, it } from "vitest";
import {
  chanceOfAtLeast,
  chanceOfShare,
  mostByChance,
  waysLog,
} from "../../../contract/numbers/binomial.ts";

describe("the binomial tail", () => {
  it.each([
    { count: 0, of: 10, share: 0.3, chance: 1 },
    { count: 10, of: 10, share: 0.5, chance: 1 / 1024 },
    { count: 3, of: 10, share: 0.5, chance: 968 / 1024 },
    { count: 1, of: 50, share: 0.01, chance: 1 - 0.99 ** 50 },
    { count: 2, of: 284, share: 0.01, chance: 1 - 0.99 ** 284 - 284 * 0.01 * 0.99 ** 283 },
  ])("of $of with $share each, at least $count", ({ count, of, share, chance }) => {
    expect(chanceOfAtLeast(count, of, share)).toBeCloseTo(chance, 10);
  });

  it.each([
    { count: 0, of: 5, others: 3, ofOthers: 5, chance: 1 },
    { count: 1, of: 10, others: 0, ofOthers: 10, chance: 1 / 2 },
    { count: 3, of: 3, others: 0, ofOthers: 3, chance: 1 / 20 },
    // Fisher's tea: all four cups of eight, and three of the four.
    { count: 4, of: 4, others: 0, ofOthers: 4, chance: 1 / 70 },
    { count: 3, of: 4, others: 1, ofOthers: 4, chance: 17 / 70 },
    { count: 2, of: 36, others: 0, ofOthers: 121, chance: 630 / 12_246 },
  ])("of $of and $ofOthers, at least $count beside $others", (given) => {
    const { count, of, others, ofOthers, chance } = given;
    expect(chanceOfShare(count, of, others, ofOthers)).toBeCloseTo(chance, 10);
  });

  it("counts ways", () => {
    expect(Math.exp(waysLog(49, 6))).toBeCloseTo(13_983_816, 0);
    expect(waysLog(7, 0)).toBe(0);
  });

  it.each([1, 50, 300, 10_000, 1_000_000])("bounds what chance makes of %d", (of) => {
    const most = mostByChance(of, 0.01, 1e-3);
    expect(chanceOfAtLeast(most + 1, of, 0.01)).toBeLessThan(1e-3);
    expect(chanceOfAtLeast(most, of, 0.01)).toBeGreaterThanOrEqual(of === 1 ? 0 : 1e-3);
    expect(most).toBeGreaterThanOrEqual(Math.ceil(of * 0.01));
  });
});
