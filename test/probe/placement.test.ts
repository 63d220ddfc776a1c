/** Looks go where the end is likely, within their number. */

import { describe, expect, it } from "vitest";
import { Durations } from "../../probe/tracker/durations.ts";
import { nextPollMs } from "../../probe/tracker/placement.ts";

/** All looks at a job that never ends. */
function looks(budget: number, deadlineMs: number, durations: Durations): number[] {
  const times: number[] = [];
  for (let pollsLeft = budget; pollsLeft > 0; pollsLeft -= 1) {
    const elapsedMs = times.at(-1) ?? 0;
    const density = durations.density();
    const next = nextPollMs({ elapsedMs, deadlineMs, pollsLeft, density });
    if (next === null) break;
    times.push(next);
  }
  return times;
}

/** Jobs of 5 s that vary by 2 %, each followed by as many looks as it may take. */
function learnt(jobs: number): { durations: Durations; widths: number[] } {
  const durations = new Durations();
  const widths: number[] = [];
  for (let n = 0; n < jobs; n += 1) {
    const truthMs = 5_000 + 100 * Math.sqrt(2) * Math.sin(n * 2.399);
    const times = [0, ...looks(6, 60_000, durations)];
    const highMs = times.find((ms) => ms >= truthMs) ?? 60_000;
    const lowMs = times.findLast((ms) => ms < truthMs) ?? 0;
    widths.push(highMs - lowMs);
    durations.learn({ lowMs, highMs });
  }
  return { durations, widths };
}

describe("the placement of looks", () => {
  it("without knowledge they are spread to the deadline, closer at the beginning", () => {
    const times = looks(6, 60_000, new Durations());
    expect(times).toHaveLength(6);
    expect(times.at(-1)).toBe(60_000);
    const gaps = times.slice(1).map((ms, index) => ms - (times[index] ?? 0));
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
  });

  it("with knowledge most of them lie where jobs have ended", () => {
    const durations = new Durations();
    for (let n = 0; n < 30; n += 1)
      durations.learn({ lowMs: 4_900 + n * 7, highMs: 4_920 + n * 7 });
    const near = looks(6, 60_000, durations).filter((ms) => ms > 4_500 && ms < 5_500);
    expect(near.length).toBeGreaterThanOrEqual(4);
  });

  it("bounds of jobs that vary by 2 % become narrow from polls alone", () => {
    const { widths } = learnt(120);
    const settled = widths.slice(-60).toSorted((a, b) => a - b);
    expect(settled[30]).toBeLessThan(250);
  });

  it("the last look is at the deadline, and there is none after it", () => {
    const plan = { elapsedMs: 100, deadlineMs: 1_000, density: null };
    expect(nextPollMs({ ...plan, pollsLeft: 1 })).toBe(1_000);
    expect(nextPollMs({ ...plan, pollsLeft: 0 })).toBeNull();
    expect(nextPollMs({ ...plan, elapsedMs: 1_000, pollsLeft: 3 })).toBeNull();
  });
});
