/** Submit answers and queue waits against their objectives. */

import { describe, expect, it } from "vitest";
import type { TimedObjective } from "../../../../contract/judges/load/latency.ts";
import { latencyClaim } from "../../../../contract/judges/load/latency.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { IDLE, OVERLOADED, violations } from "./violations.ts";

function timed(samples: number, over: number, beyondLag = over): TimedObjective {
  const base = { name: "submit answers", objectiveMs: 500, p99Ms: 400 };
  return { ...base, samples, over: violations(over), beyondLag, isShortened: false };
}

const CASES = [
  { title: "none above the objective", objectives: [timed(200, 0)], verdict: "kept" },
  { title: "one in a hundred above it", objectives: [timed(200, 2)], verdict: "kept" },
  { title: "as many as chance makes", objectives: [timed(200, 7)], verdict: "inconclusive" },
  { title: "more than chance makes", objectives: [timed(200, 9)], verdict: "broken" },
  { title: "by chance and by lag", objectives: [timed(200, 12, 8)], verdict: "inconclusive" },
  { title: "beyond chance and lag", objectives: [timed(200, 16, 12)], verdict: "broken" },
  {
    title: "by durations that leave out a part of runs",
    objectives: [{ ...timed(200, 200), isShortened: true }],
    verdict: "inconclusive",
  },
  { title: "a little more of many", objectives: [timed(20_000, 260)], verdict: "broken" },
  { title: "a single one of few", objectives: [timed(50, 1)], verdict: "inconclusive" },
  { title: "above by less than the lag", objectives: [timed(200, 9, 2)], verdict: "inconclusive" },
  {
    title: "one kind of time is missing",
    objectives: [timed(200, 0), timed(0, 0)],
    verdict: "inconclusive",
  },
  { title: "nothing was timed", objectives: [timed(0, 0)], verdict: "unobserved" },
  { title: "no objective is set", objectives: [], verdict: "unobserved" },
] as const;

describe("load.latency", () => {
  it.each(CASES)("$title: $verdict", ({ objectives, verdict }) => {
    expect(
      decide(latencyClaim(objectives, { doubt: null, lag: IDLE }, "nothing was accepted")).verdict,
    ).toBe(verdict);
  });

  it("is kept on an overloaded machine, but not broken", () => {
    expect(
      decide(latencyClaim([timed(200, 0)], { doubt: null, lag: OVERLOADED }, "")).verdict,
    ).toBe("kept");
    expect(
      decide(latencyClaim([timed(200, 99)], { doubt: null, lag: OVERLOADED }, "")).verdict,
    ).toBe("inconclusive");
  });

  it("says nothing where the generator was late", () => {
    const finding = decide(
      latencyClaim([timed(200, 20)], { doubt: "the generator was late", lag: IDLE }, ""),
    );
    expect(finding).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringMatching(/the generator was late/),
    });
  });
});
