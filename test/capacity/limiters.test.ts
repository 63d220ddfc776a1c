/** Searches beyond the plans of limiters of all kinds: how often the interval holds the truth. */

import { describe, expect, it } from "vitest";
import { findCapacity } from "../../capacity/find-capacity.ts";
import type { Choices } from "../../reference/choices.ts";
import { between, stream } from "../../simulation/chance.ts";
import { LimitedService } from "./limited-service.ts";
import { searchOptions } from "./options.ts";

const KINDS: readonly Choices["limiter"][] = [
  "token-bucket",
  "gcra",
  "sliding-log",
  "sliding-counter",
  "fixed-window",
  "aligned-window",
  "fast-ticking-bucket",
];
const SEARCHES_OF_A_KIND = 8;

/** What was found of a limiter that a seed draws. */
async function searchLimiter(kind: Choices["limiter"], seed: number) {
  const draw = stream(seed, kind);
  const sustained = Math.round(between(draw, 10, 150));
  const burst = Math.round(sustained * between(draw, 0.5, 4));
  const refusedCount = draw() < 0.5;
  const oneWayMs = between(draw, 0.2, 10);
  const service = new LimitedService({ kind, sustained, burst, refusedCount, oneWayMs, draw });
  const keys = searchOptions().keys.map((key) => ({ ...key, sustained, burst }));
  const { estimate, bottleneck } = await findCapacity(searchOptions({ keys }), async (_, order) => {
    const measurement = await service.step(order);
    return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
  });
  const { low = 0, high = 0, perSecond = 0 } = estimate ?? {};
  const truth = service.sustainedPerSecond;
  expect(bottleneck?.bottleneck, `${kind}, seed ${seed}`).toBe("limiter");
  return { isHeld: low <= truth && truth <= high, deviation: Math.abs(perSecond / truth - 1) };
}

describe("a search beyond the plan", () => {
  it("holds what a limiter sustains in its interval, whatever the kind and the burst", async () => {
    const found = [];
    for (const kind of KINDS) {
      for (let seed = 1; seed <= SEARCHES_OF_A_KIND; seed += 1) {
        found.push(await searchLimiter(kind, seed));
      }
    }
    const held = found.filter(({ isHeld }) => isHeld).length;
    expect(held / found.length).toBeGreaterThan(0.94);
    expect(Math.max(...found.map(({ deviation }) => deviation))).toBeLessThan(0.05);
  });
});
