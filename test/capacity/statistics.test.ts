/** The statistics of comparisons, held against published tables and against what must be so. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimOf } from "../../capacity/compare/decision.ts";
import { normalQuantile, tExceededWith } from "../../capacity/statistics/distributions.ts";
import { intervalOf, spreadOf, spreadOfDifference } from "../../capacity/statistics/interval.ts";
import {
  autocorrelationOf,
  batchMeans,
  meanOf,
  quantileOf,
} from "../../capacity/statistics/moments.ts";
import { nominalLevels, spentUntil } from "../../capacity/statistics/spending.ts";
import { seededUniform } from "../../contract/numbers/random.ts";

const value = fc.integer({ min: -1_000, max: 1_000 }).map((n) => n / 100);
const values = fc.array(value, { minLength: 4, maxLength: 60 });
const level = fc.double({ min: 1e-6, max: 0.2, noNaN: true });

describe("nominalLevels", () => {
  /** Lan & DeMets (1983) with five equal looks, alpha 0.05 two-sided; as in R's ldbounds. */
  it("gives the published boundaries", () => {
    const bounds = nominalLevels(0.05, [0.2, 0.4, 0.6, 0.8, 1]).map(
      (each) => -normalQuantile(each),
    );
    const published = [4.8769, 3.3569, 2.6803, 2.2898, 2.031];
    for (const [at, bound] of bounds.entries()) expect(bound).toBeCloseTo(published[at] ?? 0, 3);
  });

  it("takes Bonferroni's level for a single look", () => {
    expect(nominalLevels(0.05, [1])[0]).toBeCloseTo(0.025, 6);
  });

  it("finds nothing at looks that may spend next to nothing", () => {
    expect(nominalLevels(0.01, [0.05, 1])[0]).toBe(0);
  });

  it("spends all in the end, and never less than before", () => {
    expect(spentUntil(0.05, 1)).toBeCloseTo(0.05, 9);
    const shares = fc.double({ min: 0.001, max: 1, noNaN: true });
    fc.assert(
      fc.property(shares, shares, (a, b) => {
        expect(spentUntil(0.05, Math.min(a, b))).toBeLessThanOrEqual(
          spentUntil(0.05, Math.max(a, b)),
        );
      }),
    );
  });
});

describe("intervalOf", () => {
  it("holds the mean and widens as the level falls", () => {
    fc.assert(
      fc.property(values, level, level, (sample, a, b) => {
        const spread = spreadOf(sample, seededUniform(1), 0);
        const wide = intervalOf(spread, Math.min(a, b));
        const narrow = intervalOf(spread, Math.max(a, b));
        expect(wide.low).toBeLessThanOrEqual(narrow.low + 1e-9);
        expect(narrow.low).toBeLessThanOrEqual(spread.mean + 1e-9);
        expect(wide.high).toBeGreaterThanOrEqual(narrow.high - 1e-9);
      }),
      { numRuns: 30 },
    );
  });

  it("moves with its values and grows with their scale", () => {
    fc.assert(
      fc.property(values, fc.double({ min: -5, max: 5, noNaN: true }), (sample, shift) => {
        const own = intervalOf(spreadOf(sample, seededUniform(1), 0), 0.01);
        const moved = sample.map((each) => 2 * each + shift);
        const other = intervalOf(spreadOf(moved, seededUniform(1), 0), 0.01);
        expect(other.low).toBeCloseTo(2 * own.low + shift, 5);
        expect(other.high).toBeCloseTo(2 * own.high + shift, 5);
      }),
      { numRuns: 30 },
    );
  });

  it("is never narrower than Student's", () => {
    const sample = [1, 2, 3, 4, 5, 6, 7, 8];
    const spread = spreadOf(sample, seededUniform(1), 0);
    const student = tExceededWith(0.01, 7) * spread.standardError;
    expect(intervalOf(spread, 0.01).high).toBeGreaterThanOrEqual(spread.mean + student - 1e-9);
  });

  it("is as wide as is known of values that are all alike", () => {
    const none = intervalOf(spreadOf([0, 0, 0, 0], seededUniform(1), 0), 0.01);
    expect([none.low, none.high]).toEqual([0, 0]);
    const some = intervalOf(spreadOf([0, 0, 0, 0], seededUniform(1), 0.1), 0.01);
    expect(some.high).toBeGreaterThan(0.1);
  });

  it("is finite where nearly all values are alike", () => {
    const rare = [...Array.from({ length: 23 }, () => 0), 0.02];
    expect(intervalOf(spreadOf(rare, seededUniform(1), 0), 0.003).high).toBeLessThan(0.02);
  });

  it("is endless where nothing may be spent", () => {
    const { low, high } = intervalOf(spreadOf([1, 2, 3, 4], seededUniform(1), 0), 0);
    expect([low, high]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  it("of a difference changes its sign with its sides", () => {
    const [a, b] = [
      [1, 2, 3, 5, 4],
      [4, 5, 7, 6],
    ];
    const there = spreadOfDifference(a, b, seededUniform(1));
    const back = spreadOfDifference(b, a, seededUniform(1));
    expect(there.mean).toBeCloseTo(-back.mean, 12);
    expect(there.standardError).toBeCloseTo(back.standardError, 12);
  });

  it("refuses fewer values than a spread can be told of", () => {
    expect(() => spreadOf([1, 2, 3], seededUniform(1), 0)).toThrow("3 values; expected 4 or more");
  });
});

describe("batchMeans", () => {
  it("keeps the mean of batches of one size, and no more than 24 of them", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 48, maxLength: 48 }), (sample) => {
        expect(batchMeans(sample)).toHaveLength(24);
        expect(meanOf(batchMeans(sample))).toBeCloseTo(meanOf(sample), 9);
      }),
    );
  });

  it("leaves few values as they are", () => {
    expect(batchMeans([3, 1, 2])).toEqual([3, 1, 2]);
  });
});

describe("moments", () => {
  it("know the quantiles of R's type 7", () => {
    expect(quantileOf([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantileOf([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48, 9);
  });

  it("tell waves from alternation", () => {
    expect(autocorrelationOf([1, 2, 3, 4, 5, 6])).toBeGreaterThan(0.4);
    expect(autocorrelationOf([1, -1, 1, -1, 1, -1])).toBeLessThan(-0.6);
    expect(autocorrelationOf([2, 2, 2])).toBe(0);
  });
});

describe("claimOf", () => {
  it.each([
    [{ low: 0.06, high: 0.2 }, "worse"],
    [{ low: -0.2, high: -0.06 }, "better"],
    [{ low: -0.04, high: 0.04 }, "same"],
    [{ low: 0.01, high: 0.04 }, "same"],
    [{ low: 0.04, high: 0.06 }, null],
    [{ low: -0.2, high: 0.2 }, null],
  ] as const)("of %j within 0.05 is %s", (interval, claim) => {
    expect(claimOf(interval, 0.05)).toBe(claim);
  });
});
