/** What lawful limiters refuse below the plan, and what none of them does, in virtual time. */

import { describe, expect, it } from "vitest";
import type { Passage } from "../../../../contract/judges/rate/ascending.ts";
import { mayBeRefused, trafficOf } from "../../../../contract/judges/rate/lawful-refusal.ts";
import type { Choices } from "../../../../reference/choices.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";

const FREE = { sustained: 10, burst: 20 };
const PRO = { sustained: 50, burst: 100 };

interface Shot extends Passage {
  isRefused: boolean;
}

/** A steady phase at 0.95 of the promised rate; each request may take some time on its way. */
function steadyPhase(kind: Choices["limiter"], actual: typeof FREE, seed: number, wayMs: number) {
  const random = seededRandom(seed);
  const limiter = createLimiter(kind, { ...actual, refusedCount: true });
  const startMs = 1_000_000 + random.next() * 10_000;
  let arrivedMs = 0;
  return Array.from({ length: actual.burst * 4 }, (_, n): Shot => {
    const sentAtMs = startMs + (n * 1_000) / (actual.sustained * 0.95);
    arrivedMs = Math.max(arrivedMs, sentAtMs + random.next() * wayMs);
    const { admitted } = limiter.take(arrivedMs);
    return { sentAtMs, receivedAtMs: arrivedMs + 1, isRefused: !admitted };
  });
}

describe("a lawful limiter that counts what it refuses", () => {
  it.each([
    ["sliding-counter", FREE],
    ["sliding-counter", PRO],
    ["sliding-log", FREE],
    ["token-bucket", FREE],
  ] as const)("%s refuses nothing that it may not", (kind, limit) => {
    let refusals = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const shots = steadyPhase(kind, limit, seed, 400);
      const refused = shots.filter(({ isRefused }) => isRefused);
      refusals += refused.length;
      expect(refused.filter((shot) => !mayBeRefused(shot, trafficOf(shots, limit)))).toEqual([]);
    }
    // Sliding counters do refuse some; their guess of the last window is the better for a burst.
    if (kind === "sliding-counter" && limit === FREE) expect(refusals).toBeGreaterThan(100);
  });
});

it.each([
  ["within the burst", FREE, 12],
  ["with two windows behind it", PRO, 240],
])("a request %s may not be refused", (_, limit, index) => {
  const shots = steadyPhase("gcra", limit, 1, 3);
  const shot = shots[index];
  expect(shot === undefined || mayBeRefused(shot, trafficOf(shots, limit))).toBe(false);
});
