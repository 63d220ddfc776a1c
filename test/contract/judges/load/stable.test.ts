/** The last third of a soak against the first. */

import { describe, expect, it } from "vitest";
import type { HostLag } from "../../../../contract/judges/load/generator.ts";
import type { Backlog } from "../../../../contract/judges/load/stable.ts";
import { stableClaim } from "../../../../contract/judges/load/stable.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Histogram } from "../../../../contract/numbers/histogram.ts";
import { newHistogram, recordValue } from "../../../../contract/numbers/histogram.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";
import { BUSY, IDLE, OVERLOADED } from "./violations.ts";

const STEADY = { first: 10, last: 10, rate: 20, byChance: 0, isRefill: false };

/** A hundred values from `ms` up to twice that. */
function spread(ms: number, count = 100): Histogram {
  const histogram = newHistogram();
  for (let n = 0; n < count; n += 1) recordValue(histogram, ms * (1 + n / count));
  return histogram;
}

interface Scene {
  first?: Histogram;
  last?: Histogram;
  backlog?: Backlog;
  steps?: readonly Readonly<Record<number, number>>[];
  isQueued?: boolean;
  margin?: number | null;
  doubt?: string | null;
  lag?: HostLag;
  hopeless?: string;
}

function verdictOf({ margin = 0.5, doubt = null, lag = IDLE, backlog = STEADY, ...scene }: Scene) {
  const { first = spread(200), last = spread(200), isQueued = false, steps = [] } = scene;
  return decide(
    stableClaim(
      [{ name: "times", first, last, steps, isQueued }],
      backlog,
      margin,
      { doubt, lag },
      scene.hopeless ?? null,
    ),
  ).verdict;
}

const CASES: readonly (Scene & { title: string; verdict: string })[] = [
  { title: "the same times", verdict: "kept" },
  { title: "a tenth longer", last: spread(220), verdict: "kept" },
  { title: "twice as long", last: spread(400), verdict: "broken" },
  { title: "twice as long, of a few ms", first: spread(5), last: spread(10), verdict: "kept" },
  {
    title: "twice as long on a busy machine",
    last: spread(400),
    lag: BUSY,
    verdict: "inconclusive",
  },
  { title: "far longer on a busy machine", last: spread(2_000), lag: BUSY, verdict: "broken" },
  { title: "the same times on an overloaded one", lag: OVERLOADED, verdict: "kept" },
  {
    title: "far longer on an overloaded one",
    last: spread(2_000),
    lag: OVERLOADED,
    verdict: "inconclusive",
  },
  // At 20 jobs/s a queue of 10 more takes half a second.
  { title: "twice as long, of waits", last: spread(400), isQueued: true, verdict: "inconclusive" },
  { title: "far longer, of waits", last: spread(1_000), isQueued: true, verdict: "broken" },
  { title: "too few values", last: spread(400, 20), verdict: "inconclusive" },
  {
    title: "too few values in a soak that offers no more",
    last: spread(400, 20),
    hopeless: "too short",
    verdict: "unobserved",
  },
  { title: "a backlog that grows", backlog: { ...STEADY, last: 60 }, verdict: "broken" },
  { title: "a backlog that moves a little", backlog: { ...STEADY, last: 19 }, verdict: "kept" },
  {
    title: "a backlog that grows, from nothing but a refill",
    backlog: { ...STEADY, last: 60, isRefill: true },
    verdict: "inconclusive",
  },
  { title: "no backlog known", backlog: { ...STEADY, first: null, last: null }, verdict: "kept" },
  { title: "no margin set", margin: null, verdict: "unobserved" },
  { title: "a late generator", last: spread(400), doubt: "late", verdict: "inconclusive" },
];

describe("load.stable", () => {
  it.each(CASES)("$title: $verdict", ({ verdict, ...scene }) => {
    expect(verdictOf(scene)).toBe(verdict);
  });
});

describe("a path that loses one request in ten", () => {
  const random = seededRandom(3_566);

  /** A hundred responses, of which those lost came once they were sent again. */
  function lossy(): Histogram {
    const histogram = newHistogram();
    for (let n = 0; n < 100; n += 1) {
      const again = random.next() < 0.1 ? 200 * (1 + random.next()) : 0;
      recordValue(histogram, 20 + 60 * random.next() + again);
    }
    return histogram;
  }

  it("shows no drift by chance", () => {
    const found = Array.from({ length: 6_000 }, () => verdictOf({ first: lossy(), last: lossy() }));
    expect(new Set(found)).toEqual(new Set(["kept"]));
  });
});
