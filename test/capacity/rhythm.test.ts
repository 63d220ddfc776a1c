/** When a standstill comes again: learnt from steps, and looked for in longer ones. */

import { describe, expect, it } from "vitest";
import { completedPerPeriod, courseOf } from "../../capacity/course.ts";
import { periodSeconds, soughtAfter } from "../../capacity/rhythm.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";

/** 10 jobs a second; none ends while `stops` says so, and 16 a second do otherwise. */
function step(seconds: number, stops: (at: number) => boolean): CapacityStep {
  const points = Array.from({ length: seconds * 2 }, (_, n) => {
    const completedPerSecond = stops(n / 2) ? 0 : 16;
    return { atSeconds: n / 2, offeredPerSecond: 10, completedPerSecond, backlog: 20 };
  });
  return { points, seconds, ratePerSecond: 10, stopped: null } as unknown as CapacityStep;
}

const each = (period: number, length: number, from: number) => (at: number) =>
  (at + period - from) % period < length;

describe("a rhythm", () => {
  it("is told by two standstills or more that are multiples of one time", () => {
    expect(courseOf(step(24, each(7, 2, 3))).rhythm).toEqual({ seconds: 14, periods: 2 });
    const missed = (at: number) => (at < 9 ? each(7, 2, 1)(at) : each(7, 2, 1)(at) && at > 18);
    expect(courseOf(step(24, missed)).rhythm).toEqual({ seconds: 21, periods: 3 });
    expect(courseOf(step(9, each(7, 2, 3))).rhythm).toBeNull();
    const anyTime = (at: number) => [2, 2.5, 6, 6.5, 16, 16.5].includes(at);
    expect(courseOf(step(24, anyTime)).rhythm).toBeNull();
  });

  it("is not told by the time that a first job takes", () => {
    expect(courseOf(step(9, (at) => at < 2 || (at >= 5 && at < 7))).rhythm).toBeNull();
  });

  it("is the mean of steps that agree with the last one", () => {
    const rhythms = [
      { seconds: 3, periods: 1 },
      { seconds: 14.5, periods: 2 },
      { seconds: 7, periods: 1 },
    ];
    expect(periodSeconds(rhythms)).toBeCloseTo(21.5 / 3);
    expect(periodSeconds([])).toBeNull();
  });

  it("is sought in steps of twice the length, until one was long enough", () => {
    const seldom = (seconds: number) => step(seconds, (at) => at >= 2 && at < 4);
    expect(
      soughtAfter(
        0,
        step(9, () => false),
      ),
    ).toBe(0);
    expect(soughtAfter(0, seldom(9))).toBe(18_000);
    expect(soughtAfter(18_000, { ...seldom(9), stopped: "200 jobs were in flight" })).toBe(18_000);
    expect(soughtAfter(18_000, seldom(36))).toBeNull();
    expect(soughtAfter(null, seldom(9))).toBeNull();
  });

  it("gives what is completed in whole periods", () => {
    expect(completedPerPeriod(step(24, each(8, 2, 3)))).toBeCloseTo(12);
    expect(completedPerPeriod(step(9, each(8, 2, 3)))).toBeNull();
  });
});
