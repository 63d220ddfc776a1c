/** Polls go where the end is likely, within their number. */

import { describe, expect, it } from "vitest";
import { Knowledge } from "../../../probe/operation/knowledge.ts";
import { nextPollMs } from "../../../probe/polls/placement.ts";
import { normal, seededRandom } from "./random.ts";

const POLLS = 6;
const DEADLINE_MS = 60_000;

/** All polls of a job that never ends: those of the budget, and the one at the deadline. */
function pollsOf(knowledge: Knowledge, deadlineMs = DEADLINE_MS): number[] {
  const times: number[] = [];
  const plan = knowledge.pollPlan("c", deadlineMs, POLLS);
  for (let left = POLLS; times.at(-1) !== deadlineMs; left -= 1) {
    times.push(nextPollMs(plan, times.at(-1) ?? 0, left));
  }
  return times;
}

/** The bounds of a job's end by polls alone. */
function boundsOf(knowledge: Knowledge, endMs: number) {
  const times = [0, ...pollsOf(knowledge)];
  const last = times.findIndex((ms) => ms >= endMs);
  return { lowMs: times[last - 1] ?? 0, highMs: times[last] ?? DEADLINE_MS, polls: last };
}

/** Follows jobs whose durations vary by that share; gives back the bounds of the later ones. */
function follow(meanMs: number, variation: number, jobs: number) {
  const random = seededRandom(7);
  const knowledge = new Knowledge();
  const bounds = Array.from({ length: jobs }, () => {
    const { lowMs, highMs, polls } = boundsOf(knowledge, meanMs * (1 + variation * normal(random)));
    knowledge.learn("c", "w", { duration: { lowMs, highMs }, seen: [] });
    return { widthMs: highMs - lowMs, polls };
  });
  return { knowledge, settled: bounds.slice(40) };
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? Number.NaN;
}

describe("the placement of polls", () => {
  it("without knowledge they are spread to the deadline, closer at the beginning", () => {
    const times = pollsOf(new Knowledge());
    expect(times).toHaveLength(POLLS + 1);
    const gaps = times.slice(1).map((ms, index) => ms - (times[index] ?? 0));
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
  });

  it("of a job with an extremely short deadline they keep apart and within it", () => {
    const times = pollsOf(new Knowledge(), 40);
    expect(times.at(-1)).toBe(40);
    expect(times.length).toBeLessThanOrEqual(3);
  });

  it("with knowledge most of them lie where jobs have ended", () => {
    const { knowledge } = follow(5_000, 0.02, 60);
    const near = pollsOf(knowledge).filter((ms) => ms > 4_500 && ms < 5_600);
    expect(near.length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    [0.02, 200, 600],
    [0.1, 620, 2_000],
  ])("jobs of 5 s that vary by %d get narrow bounds by polls alone, also at p90", (by, ...most) => {
    const { settled } = follow(5_000, by, 300);
    const widths = settled.map(({ widthMs }) => widthMs);
    expect(quantile(widths, 0.5)).toBeLessThan(most[0] ?? 0);
    expect(quantile(widths, 0.9)).toBeLessThan(most[1] ?? 0);
  });

  it("nearly no job needs the poll at the deadline beyond its budget", () => {
    const { settled } = follow(5_000, 0.1, 400);
    const late = settled.filter(({ polls }) => polls > POLLS);
    expect(late.length / settled.length).toBeLessThan(0.02);
  });

  it("after a service has become slower, polls follow it within some jobs", () => {
    const { knowledge } = follow(5_000, 0.02, 100);
    expect(boundsOf(knowledge, 8_000).highMs).toBeGreaterThan(15_000);
    for (let n = 0; n < 30; n += 1) {
      const { lowMs, highMs } = boundsOf(knowledge, 8_000 + 10 * n);
      knowledge.learn("c", "w", { duration: { lowMs, highMs }, seen: [] });
    }
    expect(boundsOf(knowledge, 8_100).highMs).toBeLessThan(12_000);
  });
});
