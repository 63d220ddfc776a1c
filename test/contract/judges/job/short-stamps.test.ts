/** How many times without milliseconds dropped zeros explain. */

import { expect, it } from "vitest";
import { shortStamps } from "../../../../contract/judges/job/timestamps.ts";
import { parseTimestamp } from "../../../../contract/time/timestamps.ts";
import { exchange, iso, T0 } from "./fixtures.ts";

/** So many times, some of them in whole seconds. */
function faultsIn(count: number, short: number, isWhole: boolean | null = null): number {
  const told = Array.from({ length: count }, (_, at) => {
    const text = iso(T0 + at * 1_003);
    const time = parseTimestamp(at < short ? text.replace(/\.\d+/, "") : text);
    if (time === null) throw new Error(text);
    return {
      time,
      path: "timestamps.started_at",
      exchange: exchange({ status: 200, path: `/v1/jobs/${at}` }),
      isWhole,
    };
  });
  return shortStamps([...told, ...told]).length;
}

it.each([
  ["no time", 0, 0, 0],
  ["1 of 1", 1, 1, 0],
  ["2 of 3", 3, 2, 0],
  ["3 of 3, as of a job in whole seconds", 3, 3, 3],
  ["4 of 500, more than by chance", 500, 4, 0],
  ["1 in 10, as of a writer that pads no zeros", 110, 11, 11],
  ["1 in 3, as where one of a job's times is in whole seconds", 30, 10, 10],
] as const)("%s", (_, count, short, faults) => {
  expect(faultsIn(count, short)).toBe(faults);
});

it("leaves out full seconds that something else shows, unless they are too many", () => {
  expect(faultsIn(100, 8)).toBe(8);
  expect(faultsIn(100, 8, true)).toBe(0);
  expect(faultsIn(100, 30, true)).toBe(30);
});

it("takes those for cut off that too many durations contradict, though texts are alike", () => {
  const told = (count: number, cut: number) =>
    Array.from({ length: count }, (_, at) => {
      const time = parseTimestamp(at < cut ? "2026-01-02T03:04:05Z" : iso(T0 + at));
      if (time === null) throw new Error("no time");
      const path = `/v1/jobs/${at}`;
      const isWhole = at < cut ? false : null;
      return { time, path: "finished_at", exchange: exchange({ status: 200, path }), isWhole };
    });
  expect(shortStamps(told(100, 4))).toEqual([]);
  expect(shortStamps(told(100, 20))).toHaveLength(1);
});
