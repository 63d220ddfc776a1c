/** Lawful limiters of any kind and size, on paths and generators that are uneven in any way. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnCases } from "../../../drawn-cases.ts";
import { brokenIn } from "./judged.ts";
import type { Deployment } from "./simulated-trial.ts";
import { FREE, KINDS, PRO } from "./simulated-trial.ts";

const RUNS = 1_200;
const WAYS = [0, 1, 2, 3, 4, 5];

/** Those of the specification's example twice: most services have such plans. */
const PLANS = [
  FREE,
  PRO,
  FREE,
  PRO,
  { sustained: 1, burst: 10 },
  { sustained: 1, burst: 60 },
  { sustained: 2, burst: 20 },
  { sustained: 3, burst: 30 },
  { sustained: 4, burst: 16 },
  { sustained: 5, burst: 10 },
  { sustained: 10, burst: 10 },
  { sustained: 10, burst: 100 },
  { sustained: 20, burst: 100 },
  { sustained: 25, burst: 50 },
  { sustained: 100, burst: 100 },
  { sustained: 200, burst: 400 },
];

const deployments: fc.Arbitrary<Deployment> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    promised: fc.constantFrom(...PLANS),
    refusedCount: fc.constantFrom(false, false, false, false, true),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    jitterMs: fc.constantFrom(0, 1, 3, 10, 30, 60),
    lostShare: fc.constantFrom(0, 0, 0.02, 0.06),
    skippedMs: fc.constantFrom(0, 0, 40, 100, 200, 400),
    stallMs: fc.constantFrom(0, 0, 50, 200, 500, 1_000, 1_600, 2_600),
    backlogMs: fc.constantFrom(0, 0, 100, 400),
    pauseMs: fc.constantFrom(0, 0, 300, 900, 2_000),
  })
  .map((drawn) => ({ ...drawn, actual: drawn.promised }));

describe("a lawful limiter, however unevenly its requests come", () => {
  it.each(drawnCases("ways", WAYS, 2))("breaks nothing, way %i", (way) => {
    const property = fc.property(deployments, (deployment) => {
      expect(brokenIn(deployment)).toEqual([]);
    });
    fc.assert(property, { numRuns: RUNS / WAYS.length, seed: way });
  });
});
