/** The universal scalability law: found where it holds, refused where it does not. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitScalability } from "../../capacity/scalability.ts";

const LOADS = [1, 2, 4, 8, 16, 32, 64];

const pointsOf = (gamma: number, sigma: number, kappa: number) =>
  LOADS.map((inFlight) => ({
    inFlight,
    perSecond:
      (gamma * inFlight) / (1 + sigma * (inFlight - 1) + kappa * inFlight * (inFlight - 1)),
  }));

describe("the scalability law", () => {
  it("is found again from points that follow it", () => {
    const laws = fc.record({
      gamma: fc.double({ min: 1, max: 100, noNaN: true }),
      sigma: fc.double({ min: 0, max: 0.3, noNaN: true }),
      kappa: fc.double({ min: 0, max: 0.01, noNaN: true }),
    });
    fc.assert(
      fc.property(laws, ({ gamma, sigma, kappa }) => {
        const fit = fitScalability(pointsOf(gamma, sigma, kappa));
        if (typeof fit === "string") throw new Error(fit);
        expect(fit.worstResidual).toBeLessThan(0.02);
      }),
    );
  });

  it("tells where throughput is highest, if it ever falls", () => {
    const fit = fitScalability(pointsOf(10, 0.02, 0.001));
    expect(fit).toMatchObject({ peak: { inFlight: expect.closeTo(31.3, 0) } });
    expect(fitScalability(pointsOf(10, 0.05, 0))).toMatchObject({ peak: null });
  });

  it.each([
    ["too few points", LOADS.slice(0, 3).map((inFlight) => ({ inFlight, perSecond: inFlight }))],
    ["points close together", [10, 11, 12, 13].map((n) => ({ inFlight: n, perSecond: n }))],
    ["a shape of another law", LOADS.map((n) => ({ inFlight: n, perSecond: n === 8 ? 80 : n }))],
  ])("is not fitted to %s", (_name, points) => {
    expect(typeof fitScalability(points)).toBe("string");
  });

  it("says nothing of a service that has hardly a job in flight at any rate", () => {
    const inFlight = [0.09, 0.21, 0.43, 0.07, 0.4];
    const points = inFlight.map((n, at) => ({ inFlight: n, perSecond: 5 * (at + 1) }));
    expect(fitScalability(points)).toMatch(/^a fit takes 4 rates or more/);
  });
});
