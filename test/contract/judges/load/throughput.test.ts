/** Completed jobs per second against the offered ones. */

import { describe, expect, it } from "vitest";
import type { HostLag } from "../../../../contract/judges/load/generator.ts";
import { throughputClaim } from "../../../../contract/judges/load/throughput.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { BUSY, IDLE, OVERLOADED } from "./offences.ts";

function verdictOf(completed: number, given: { lag?: HostLag; offered?: number } = {}) {
  const steady = { offered: given.offered ?? 200, completed, seconds: 10 };
  return decide(throughputClaim(steady, 0.95, { doubt: null, lag: given.lag ?? IDLE })).verdict;
}

describe("load.throughput", () => {
  it("is kept at the objective and broken below it", () => {
    expect([verdictOf(190), verdictOf(189)]).toEqual(["kept", "broken"]);
  });

  it("is not broken by ends that a busy machine delays beyond the window", () => {
    // 20 jobs/s for 4 x 150 ms.
    expect([verdictOf(178, { lag: BUSY }), verdictOf(177, { lag: BUSY })]).toEqual([
      "inconclusive",
      "broken",
    ]);
  });

  it("is kept on an overloaded machine, but not broken", () => {
    const verdicts = [verdictOf(190, { lag: OVERLOADED }), verdictOf(50, { lag: OVERLOADED })];
    expect(verdicts).toEqual(["kept", "inconclusive"]);
  });

  it("takes 50 jobs and a steady part to tell", () => {
    expect(verdictOf(10, { offered: 49 })).toBe("inconclusive");
    expect(decide(throughputClaim(null, 0.95, { doubt: null, lag: IDLE })).verdict).toBe(
      "inconclusive",
    );
  });

  it("is unobserved without an objective, and withdrawn with a late generator", () => {
    const steady = { offered: 200, completed: 0, seconds: 10 };
    expect(decide(throughputClaim(steady, null, { doubt: null, lag: IDLE })).verdict).toBe(
      "unobserved",
    );
    expect(decide(throughputClaim(steady, 0.95, { doubt: "late", lag: IDLE })).verdict).toBe(
      "inconclusive",
    );
  });
});
