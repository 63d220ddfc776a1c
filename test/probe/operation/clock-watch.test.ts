/** A machine that sleeps, or whose clock is set, is noticed; one that is merely slow is not. */

import { describe, expect, it } from "vitest";
import { createSystemClock } from "../../../clock/system-clock.ts";
import { disturbanceOf } from "../../../probe/clock-watch.ts";
import { covers } from "../../../tools/robustness/covers.ts";

const BEFORE = { monotonicMs: 1_000, bootMs: 50_000, wallMs: 1_700_000_000_000 };

describe("between two readings", () => {
  it.each([
    ["nothing happened", [1_000, 1_000, 1_000], null],
    ["the process stood still for a minute", [60_000, 60_000, 60_000], null],
    ["the uptime is told in whole seconds", [1_000, 2_000, 1_000], null],
    [
      covers("the machine slept for an hour", "39 probe"),
      [1_000, 3_601_000, 3_601_000],
      [3_600_000, 0],
    ],
    [covers("the clock was set forwards", "38 probe"), [1_000, 1_000, 61_000], [0, 60_000]],
    [covers("the clock was set backwards", "38 probe"), [1_000, 1_000, -59_000], [0, -60_000]],
    ["both", [1_000, 601_000, 631_000], [600_000, 30_000]],
  ] as const)("%s", (_, [monotonic, boot, wall], told) => {
    const after = {
      monotonicMs: BEFORE.monotonicMs + monotonic,
      bootMs: BEFORE.bootMs + boot,
      wallMs: BEFORE.wallMs + wall,
    };
    const [sleptMs, steppedMs] = told ?? [0, 0];
    expect(disturbanceOf(BEFORE, after)).toEqual(told === null ? null : { sleptMs, steppedMs });
  });
});

describe("the clock of a machine that slept", () => {
  it("goes on by as much, and makes the calls that came due meanwhile", async () => {
    const clock = createSystemClock();
    const startMs = clock.nowMs();
    const called = new Promise<number>((resolve) => {
      clock.callAt(startMs + 3_600_000, () => resolve(clock.nowMs()));
    });
    clock.skip(3_600_000);
    expect((await called) - startMs).toBeGreaterThanOrEqual(3_600_000);
  });

  it("does not make a call that was called off", async () => {
    const clock = createSystemClock();
    let calls = 0;
    const callOff = clock.callAt(clock.nowMs() + 60_000, () => {
      calls += 1;
    });
    callOff();
    const other = new Promise<void>(
      (resolve) => void clock.callAt(clock.nowMs() + 60_000, resolve),
    );
    clock.skip(60_000);
    await other;
    expect(calls).toBe(0);
  });
});
