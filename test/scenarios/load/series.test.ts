/** Counts by time, in a bounded number of steps, and what they tell once they are a record. */

import { describe, expect, it } from "vitest";
import type { Range } from "../../../contract/judges/load/series.ts";
import {
  lengthOf,
  meanBacklog,
  quantileIn,
  stepsBetween,
  sumOf,
  wholeSteps,
  worstOf,
} from "../../../contract/judges/load/series.ts";
import {
  backlogInSeries,
  countInSeries,
  lagInSeries,
  leaveBacklog,
  newSeries,
  stepsOf,
  timeInSeries,
} from "../../../scenarios/load/series.ts";

const DAY_MS = 86_400_000;

describe("a series", () => {
  it("sums what lies between two times", () => {
    const series = newSeries(1_000);
    for (let ms = 0; ms < 10_000; ms += 100) countInSeries(series, "offered", 1_000 + ms);
    const steps = stepsOf(series);
    expect(sumOf(steps, "offered", stepsBetween(steps, 1_000, 11_000))).toBe(100);
    expect(sumOf(steps, "offered", stepsBetween(steps, 3_000, 5_000))).toBe(20);
    expect(sumOf(steps, "ended", stepsBetween(steps, 1_000, 11_000))).toBe(0);
  });

  it.each([0, 500, 1_500, 123_500])("keeps sums and size over a day that began at %i ms", (at) => {
    const series = newSeries(at);
    for (let ms = 0; ms < DAY_MS; ms += 1_000) countInSeries(series, "ended", at + ms);
    const steps = stepsOf(series);
    expect(lengthOf(steps)).toBeLessThanOrEqual(600);
    expect(sumOf(steps, "ended", [0, lengthOf(steps)])).toBe(86_400);
    const middle = wholeSteps(steps, at + DAY_MS / 4, at + DAY_MS / 2);
    const steady = ((middle[1] - middle[0]) * steps.stepMs) / 1_000;
    expect(Math.abs(sumOf(steps, "ended", middle) - steady)).toBeLessThanOrEqual(1);
  });

  it("tells the mean backlog of a span, and none where nobody counted", () => {
    const series = newSeries(0);
    for (let ms = 130; ms <= 4_000; ms += 90) backlogInSeries(series, ms, ms <= 2_020 ? 10 : 30);
    countInSeries(series, "ended", 6_000);
    const steps = stepsOf(series);
    expect(meanBacklog(steps, stepsBetween(steps, 0, 2_000))).toBe(10);
    expect(meanBacklog(steps, stepsBetween(steps, 2_500, 4_000))).toBe(30);
    expect(meanBacklog(steps, stepsBetween(steps, 5_000, 6_000))).toBeNull();
  });

  it("takes a job out of the backlog from when it ended, however late that is told", () => {
    const series = newSeries(0);
    for (let ms = 100; ms <= 4_000; ms += 100) backlogInSeries(series, ms, 10);
    for (let jobs = 0; jobs < 4; jobs += 1) leaveBacklog(series, 2_000);
    leaveBacklog(series, 4_500);
    const steps = stepsOf(series);
    expect(meanBacklog(steps, stepsBetween(steps, 0, 2_000))).toBe(10);
    expect(meanBacklog(steps, stepsBetween(steps, 2_000, 4_000))).toBe(6);
  });
});

describe("times in a series", () => {
  it("are joined when its steps are, and none is lost", () => {
    const series = newSeries(0);
    // A second a step at first: the times before and after a widening are told apart still.
    for (let second = 0; second < 1_000; second += 1) {
      timeInSeries(series, "submit", second * 1_000, second % 10 === 0 ? 200 : 5);
    }
    timeInSeries(series, "submit", 700_000, 900);
    const steps = stepsOf(series);
    const whole: Range = [0, lengthOf(steps)];
    expect(lengthOf(steps)).toBeLessThanOrEqual(600);
    expect(quantileIn(steps, "submit", whole, 0.89)).toBeCloseTo(5, 0);
    expect(quantileIn(steps, "submit", whole, 0.95)).toBeGreaterThan(200 / 1.04);
    expect(quantileIn(steps, "submit", whole, 0.95)).toBeLessThan(200 * 1.04);
    expect(quantileIn(steps, "submit", whole, 1)).toBe(900);
    const slowest = Math.floor(700_000 / steps.stepMs);
    expect(worstOf(steps, "submit", [slowest, slowest + 1])).toBe(900);
    expect(worstOf(steps, "submit", [0, slowest])).toBe(200);
  });

  it("longer than any bucket are told as the longest of them", () => {
    const series = newSeries(0);
    timeInSeries(series, "queueWait", 0, 5_000_000);
    expect(quantileIn(stepsOf(series), "queueWait", [0, 1], 0.5)).toBe(5_000_000);
  });

  it("are none where nothing was timed, and the worst only of a lag", () => {
    const series = newSeries(0);
    lagInSeries(series, "hostLag", 10_000, 7);
    lagInSeries(series, "hostLag", 10_100, 3);
    const steps = stepsOf(series);
    const [before, then] = [stepsBetween(steps, 0, 10_000), [20, 21] as const];
    expect(worstOf(steps, "hostLag", before)).toBeNull();
    expect(worstOf(steps, "hostLag", then)).toBe(7);
    expect(quantileIn(steps, "submit", then, 0.5)).toBeNull();
  });
});
