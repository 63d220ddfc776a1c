/** The edge between kept and failed runs: where it is, and how often the interval holds it. */

import { describe, expect, it } from "vitest";
import { estimateEdge } from "../../capacity/estimate.ts";
import { meanWithInterval } from "../../capacity/mean.ts";
import { seededRandom } from "../../scenarios/world/random.ts";

const trials = (rate: number, kept: number, failed: number) => [
  ...Array.from({ length: kept }, () => ({ rate, isKept: true })),
  ...Array.from({ length: failed }, () => ({ rate, isKept: false })),
];

describe("the estimate of an edge", () => {
  it("needs runs that were kept and runs that were not", () => {
    expect(estimateEdge([])).toBeNull();
    expect(estimateEdge(trials(10, 3, 0))).toBeNull();
    expect(estimateEdge(trials(10, 0, 3))).toBeNull();
  });

  it("with three runs at each end lies between them, and so does its interval", () => {
    const edge = estimateEdge([...trials(39, 3, 0), ...trials(41, 0, 3)]);
    expect(edge?.perSecond).toBeCloseTo(40, 0);
    expect(edge?.low).toBeGreaterThan(38.4);
    expect(edge?.high).toBeLessThan(41.2);
  });

  it("is less sure with one run at each end", () => {
    const few = estimateEdge([...trials(39, 1, 0), ...trials(41, 0, 1)]);
    expect(few?.low).toBeLessThan(38);
    expect(few?.high).toBeGreaterThan(42);
  });

  it("is not moved by a run far below that failed while the service was cold", () => {
    const cold = [...trials(10, 2, 0), ...trials(10.37, 2, 1)];
    const warm = [10.8, 14.7, 17.15, 18.52, 19.25].flatMap((rate) => trials(rate, 1, 0));
    const edge = estimateEdge([...cold, ...warm, ...trials(20, 3, 0), ...trials(20.59, 0, 3)]);
    expect(edge?.perSecond).toBeCloseTo(20.2, 0);
    expect(edge?.low).toBeGreaterThan(19);
    expect(edge?.high).toBeLessThan(21.5);
  });

  it.each([0.005, 0.02])("holds the true edge in its interval, spread over %f", (spread) => {
    const random = seededRandom(11);
    let held = 0;
    let runs = 0;
    for (; runs < 100; runs += 1) {
      const edge = 40;
      const rates = [0.94, 0.97, 1, 1.03, 1.06].flatMap((share) => [share, share, share]);
      const tried = rates.map((share) => {
        const chance = 1 / (1 + Math.exp(Math.log(share) / spread));
        return { rate: edge * share, isKept: random.next() < chance };
      });
      const found = estimateEdge(tried);
      if (found !== null && found.low <= edge && found.high >= edge) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.92);
  });
});

describe("the mean of a few runs", () => {
  it("has Student's interval", () => {
    const mean = meanWithInterval([98, 100, 102]);
    expect(mean?.perSecond).toBe(100);
    // 4.303 * 2 / sqrt(3)
    expect(mean?.high).toBeCloseTo(104.97, 2);
    expect(meanWithInterval([1])).toBeNull();
  });
});
