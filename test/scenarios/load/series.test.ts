/** Counts by time, in a bounded number of steps. */

import { describe, expect, it } from "vitest";
import {
  countInSeries,
  lagInSeries,
  lookAtBacklog,
  meanBacklog,
  newSeries,
  quantileIn,
  stepsBetween,
  sumOf,
  timeInSeries,
  worstOf,
} from "../../../scenarios/load/series.ts";

const DAY_MS = 86_400_000;

describe("a series", () => {
  it("sums what lies between two times", () => {
    const series = newSeries(1_000);
    for (let ms = 0; ms < 10_000; ms += 100) countInSeries(series, "offered", 1_000 + ms);
    expect(sumOf(series, "offered", stepsBetween(series, 1_000, 11_000))).toBe(100);
    expect(sumOf(series, "offered", stepsBetween(series, 3_000, 5_000))).toBe(20);
    expect(sumOf(series, "ended", stepsBetween(series, 1_000, 11_000))).toBe(0);
  });

  it("keeps its sums and its size over a day", () => {
    const series = newSeries(0);
    for (let ms = 0; ms < DAY_MS; ms += 1_000) countInSeries(series, "ended", ms);
    expect(series.length).toBeLessThanOrEqual(600);
    expect(sumOf(series, "ended", [0, series.length])).toBe(86_400);
    const middle = stepsBetween(series, DAY_MS / 4, DAY_MS / 2);
    expect(sumOf(series, "ended", middle)).toBe(((middle[1] - middle[0]) * series.stepMs) / 1_000);
  });

  it("tells the mean backlog of a stretch, and none where nobody looked", () => {
    const series = newSeries(0);
    for (let ms = 0; ms < 4_000; ms += 100) lookAtBacklog(series, ms, ms < 2_000 ? 10 : 30);
    expect(meanBacklog(series, stepsBetween(series, 0, 2_000))).toBe(10);
    expect(meanBacklog(series, stepsBetween(series, 2_000, 4_000))).toBe(30);
    expect(meanBacklog(series, stepsBetween(series, 5_000, 6_000))).toBeNull();
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
    const whole = [0, series.length] as const;
    expect(series.length).toBeLessThanOrEqual(600);
    expect(quantileIn(series, "submit", whole, 0.89)).toBeCloseTo(5, 0);
    expect(quantileIn(series, "submit", whole, 0.95)).toBeGreaterThan(200 / 1.04);
    expect(quantileIn(series, "submit", whole, 0.95)).toBeLessThan(200 * 1.04);
    expect(quantileIn(series, "submit", whole, 1)).toBe(900);
    const slowest = Math.floor(700_000 / series.stepMs);
    expect(worstOf(series, "submit", [slowest, slowest + 1])).toBe(900);
    expect(worstOf(series, "submit", [0, slowest])).toBe(200);
  });

  it("longer than any bucket are told as the longest of them", () => {
    const series = newSeries(0);
    timeInSeries(series, "queueWait", 0, 5_000_000);
    expect(quantileIn(series, "queueWait", [0, 1], 0.5)).toBe(5_000_000);
  });

  it("are none where nothing was timed, and the worst only of a lag", () => {
    const series = newSeries(0);
    lagInSeries(series, "hostLag", 10_000, 7);
    lagInSeries(series, "hostLag", 10_100, 3);
    const [before, then] = [stepsBetween(series, 0, 10_000), [20, 21] as const];
    expect(worstOf(series, "hostLag", before)).toBeNull();
    expect(worstOf(series, "hostLag", then)).toBe(7);
    expect(quantileIn(series, "submit", then, 0.5)).toBeNull();
  });
});
