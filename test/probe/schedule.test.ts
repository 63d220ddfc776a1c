/** Canaries are due on an absolute grid, and a pause of the process is skipped, not made up for. */

import { describe, expect, it } from "vitest";
import { startSchedule } from "../../probe/schedule/schedule.ts";
import { fakeClock } from "./fake-clock.ts";

function scheduled(jitterShare = 0, random = () => 0.5) {
  const clock = fakeClock();
  const runs: { dueMs: number; lagMs: number }[] = [];
  const skipped: number[] = [];
  const schedule = startSchedule({
    clock,
    random,
    everyMs: 10_000,
    jitterShare,
    onDue: ({ dueMs }, lagMs) => runs.push({ dueMs, lagMs }),
    onSkipped: (count) => skipped.push(count),
  });
  return { clock, runs, skipped, schedule };
}

describe("a schedule", () => {
  it("begins at a random phase within the first interval", () => {
    const { clock, runs } = scheduled();
    clock.advance(4_999);
    expect(runs).toEqual([]);
    clock.advance(1);
    expect(runs).toHaveLength(1);
  });

  it("does not drift: each tick is a multiple of the interval after the first", () => {
    const { clock, runs } = scheduled();
    clock.advance(100_000);
    expect(runs.map(({ dueMs }) => dueMs - (runs[0]?.dueMs ?? 0))).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => n * 10_000),
    );
  });

  it("jitters each tick within its share, and does not add the jitter up", () => {
    const draws = [0.5, 0.9, 0.1, 0.5, 0.3, 0.7, 0.2];
    const { clock, runs } = scheduled(0.2, () => draws.shift() ?? 0);
    clock.advance(40_000);
    const offGrid = runs.map(({ dueMs }) => (dueMs - 1_005_000) % 10_000);
    expect(offGrid.every((ms) => ms >= 0 && ms <= 2_000)).toBe(true);
    expect(new Set(offGrid).size).toBeGreaterThan(1);
  });

  it("skips what a pause has missed, counts it, and runs the next tick in time", () => {
    const { clock, runs, skipped } = scheduled();
    clock.advance(5_000);
    clock.suspend(47_000);
    expect(runs).toHaveLength(1);
    expect(skipped).toEqual([4]);
    clock.advance(3_000);
    expect(runs).toHaveLength(2);
    expect(runs[1]).toEqual({ dueMs: 1_055_000, lagMs: 0 });
  });

  it("runs a tick that is a little late, and says how late", () => {
    const { clock, runs, skipped } = scheduled();
    clock.suspend(5_400);
    expect(runs).toEqual([{ dueMs: 1_005_000, lagMs: 400 }]);
    expect(skipped).toEqual([]);
  });

  it("is silent once it is stopped", () => {
    const { clock, runs, schedule } = scheduled();
    schedule.stop();
    clock.advance(50_000);
    expect(runs).toEqual([]);
  });
});
