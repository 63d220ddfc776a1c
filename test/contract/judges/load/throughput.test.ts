/** Completed jobs per second against the offered ones. */

import { describe, expect, it } from "vitest";
import type { HostLag } from "../../../../contract/judges/load/generator.ts";
import type { SteadyPart, WholeSoak } from "../../../../contract/judges/load/throughput.ts";
import { throughputClaim } from "../../../../contract/judges/load/throughput.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { BUSY, IDLE, OVERLOADED } from "./violations.ts";

const ALL_WELL: WholeSoak = { offered: 400, endedOtherwise: 0 };

function findingOf(
  part: SteadyPart | null,
  given: {
    share?: number | null;
    doubt?: string | null;
    lag?: HostLag;
    hopeless?: string;
    ofAll?: WholeSoak;
  } = {},
) {
  const { share = 0.95, doubt = null, lag = IDLE, hopeless = null, ofAll = ALL_WELL } = given;
  return decide(throughputClaim({ part, hopeless, ofAll }, share, { doubt, lag }));
}

/** Of 200 jobs in 10 s, all of which end as they should, sooner or later. */
function steadyOf(completed: number, given: Partial<SteadyPart> = {}): SteadyPart {
  return { offered: 200, completed, seconds: 10, byChance: 0, ...given };
}

function verdictOf(completed: number, given: { lag?: HostLag; offered?: number } = {}) {
  const steady = steadyOf(completed, { offered: given.offered ?? 200 });
  return findingOf(steady, { lag: given.lag ?? IDLE }).verdict;
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
    expect(findingOf(null).verdict).toBe("inconclusive");
  });

  it("is unobserved without an objective, and withdrawn with a late generator", () => {
    const steady = steadyOf(0);
    expect(findingOf(steady, { share: null }).verdict).toBe("unobserved");
    expect(findingOf(steady, { doubt: "late" }).verdict).toBe("inconclusive");
  });

  it("is unobserved in a soak that is too short for jobs that end at their limit", () => {
    const hopeless = "jobs that end at their limit need a soak of over 20 s; it lasted 15 s";
    const found = findingOf(null, { hopeless });
    expect([found.verdict, found.summary]).toEqual(["unobserved", hopeless]);
    const steady = steadyOf(180);
    expect(findingOf(steady, { hopeless }).verdict).toBe("broken");
  });

  it.each([
    ["by chance", 300, 22, "unobserved"],
    ["by more than chance", 300, 23, "broken"],
    ["of too few", 49, 49, "unobserved"],
  ] as const)("in such a soak takes jobs that end otherwise %s", (_, offered, not, verdict) => {
    const hopeless = "jobs that end at their limit need a soak of over 40 s; it lasted 15 s";
    const found = findingOf(null, { hopeless, ofAll: { offered, endedOtherwise: not } });
    expect(found.verdict).toBe(verdict);
    if (verdict === "broken") expect(found.summary).toContain("23 of 300 jobs ended otherwise");
  });

  it("takes no delay for the reason of ends that should not be", () => {
    const found = (endedOtherwise: number) => {
      const ofAll = { offered: 400, endedOtherwise };
      return findingOf(steadyOf(187, { byChance: 10 }), { lag: BUSY, ofAll });
    };
    expect(found(20).verdict).toBe("inconclusive");
    expect(found(21)).toMatchObject({
      verdict: "broken",
      summary: expect.stringContaining("21 of 400 ended otherwise"),
    });
  });
});
