/** Counts by time, in a bounded number of steps. */

import { describe, expect, it } from "vitest";
import {
  countInSeries,
  lookAtBacklog,
  meanBacklog,
  newSeries,
  sumBetween,
  sumOfSteps,
  timeInSeries,
} from "../../../scenarios/soak/series.ts";

const DAY_MS = 86_400_000;

describe("a series", () => {
  it("sums what lies between two times", () => {
    const series = newSeries(1_000);
    for (let ms = 0; ms < 10_000; ms += 100) countInSeries(series, "offered", 1_000 + ms);
    expect(sumBetween(series, "offered", 1_000, 11_000)).toBe(100);
    expect(sumBetween(series, "offered", 3_000, 5_000)).toBe(20);
    expect(sumBetween(series, "ended", 1_000, 11_000)).toBe(0);
  });

  it("keeps its sums and its size over a day", () => {
    const series = newSeries(0);
    for (let ms = 0; ms < DAY_MS; ms += 1_000) countInSeries(series, "ended", ms);
    expect(series.steps.length).toBeLessThanOrEqual(600);
    expect(sumBetween(series, "ended", 0, DAY_MS + series.stepMs)).toBe(86_400);
  });

  it("tells the mean backlog of a stretch, and none where nobody looked", () => {
    const series = newSeries(0);
    for (let ms = 0; ms < 4_000; ms += 100) lookAtBacklog(series, ms, ms < 2_000 ? 10 : 30);
    expect(meanBacklog(series, 0, 2_000)).toBe(10);
    expect(meanBacklog(series, 2_000, 4_000)).toBe(30);
    expect(meanBacklog(series, 5_000, 6_000)).toBeNull();
  });
});

describe("times in a series", () => {
  it("are joined when its steps are, and none is lost", () => {
    const series = newSeries(0);
    for (let ms = 0; ms < DAY_MS; ms += 10_000) timeInSeries(series, "submit", ms, 5);
    timeInSeries(series, "submit", DAY_MS / 2, 900);
    const whole = sumOfSteps(series.steps).times.submit;
    expect(series.steps.length).toBeLessThanOrEqual(600);
    expect(whole?.count).toBe(DAY_MS / 10_000 + 1);
    expect(whole?.max).toBe(900);
    const slowest = series.steps.findIndex(({ times }) => times.submit?.max === 900);
    expect(slowest).toBe(Math.floor(DAY_MS / 2 / series.stepMs));
  });
});
