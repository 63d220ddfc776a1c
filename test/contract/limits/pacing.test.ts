/** What keeps to the line stays below its rate, however its callers come and whatever holds it. */

import { describe, expect, it } from "vitest";
import { pacing } from "../../../contract/limits/pacing.ts";
import { between, stream } from "../../../simulation/chance.ts";

const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);

/** Callers in bursts and pauses, some of whom can't wait long, and now and then a hold. */
function history(seed: number) {
  const draw = stream(seed, "pacing");
  const perSecond = between(draw, 0.5, 200);
  const slack = Math.floor(between(draw, 0, 20));
  const line = pacing(perSecond, slack);
  const served: number[] = [];
  const holds: { fromMs: number; untilMs: number; booked: number }[] = [];
  let [nowMs, refused] = [1_000_000, 0];
  for (let caller = 0; caller < 400; caller += 1) {
    if (draw() < 0.1) nowMs += between(draw, 0, 60_000 / perSecond);
    if (draw() < 0.02) {
      const untilMs = nowMs + between(draw, 0, 5_000);
      line.holdUntil(untilMs);
      holds.push({ fromMs: nowMs, untilMs, booked: served.length });
    }
    const byMs = nowMs + between(draw, 0, 20_000 / perSecond);
    const atMs = draw() < 0.5 ? line.book(nowMs) : line.bookBy(nowMs, byMs);
    if (atMs === null) refused += 1;
    else {
      expect(atMs).toBeGreaterThanOrEqual(nowMs);
      served.push(atMs);
    }
  }
  return { perSecond, slack, served, holds, refused };
}

describe.each(SEEDS)("history %i", (seed) => {
  const { perSecond, slack, served, holds } = history(seed);

  it("serves in order", () => {
    expect(served).toEqual([...served].sort((a, b) => a - b));
  });

  it("never sends more than the slack and one beside the rate, in any span of time", () => {
    const beyond = served.flatMap((fromMs, from) =>
      served.slice(from).map((toMs, count) => count - ((toMs - fromMs) / 1_000) * perSecond),
    );
    expect(beyond.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(slack + 1e-6);
  });

  it("sends nothing that was booked after a hold before its end", () => {
    for (const { untilMs, booked } of holds) {
      expect(served[booked] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(untilMs - 1e-6);
    }
  });
});

it("refuses somebody in these histories", () => {
  expect(SEEDS.some((seed) => history(seed).refused > 0)).toBe(true);
});

it("takes no place for who can't wait, and keeps to another rate once it is told", () => {
  const line = pacing(1);
  expect(line.book(0)).toBe(0);
  expect(line.bookBy(0, 999)).toBeNull();
  expect(line.bookBy(0, 1_000)).toBe(1_000);
  line.use(10);
  expect([line.book(0), line.book(0)]).toEqual([2_000, 2_100]);
});

it("sends as soon as a hold ends, and tells until when it lasts", () => {
  const line = pacing(10, 3);
  line.holdUntil(5_000);
  line.holdUntil(4_000);
  expect(line.heldUntilMs).toBe(5_000);
  expect([line.book(1_000), line.book(1_000)]).toEqual([5_000, 5_100]);
});
