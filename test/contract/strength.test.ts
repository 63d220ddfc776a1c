/** What a kept promise rules out: the bound itself, and what several witnesses add up to. */

import { describe, expect, it } from "vitest";
import { faultShareBelow, looksAt, mergedStrength } from "../../contract/strength.ts";
import { kept, mergeFindings, mergeRuns } from "../../contract/verdict.ts";

describe("the share of faults that is ruled out", () => {
  it.each([
    [0, 1],
    [1, 0.95],
    [49, 0.0593],
    [59, 0.0495],
    [299, 0.00997],
  ])("%i looks rule out more than %f", (looks, share) => {
    expect(faultShareBelow(looks)).toBeCloseTo(share, 4);
  });

  it("is the share at which so many looks miss a fault in one case of 20", () => {
    for (const looks of [1, 7, 100, 2_400]) {
      expect((1 - faultShareBelow(looks)) ** looks).toBeCloseTo(0.05, 9);
    }
  });
});

describe("the strength of several witnesses", () => {
  const first = looksAt(12, "jobs", { of: "workers", count: 3 });
  const second = looksAt(30, "jobs", { of: "workers", count: 2 }, { of: "ends", count: 4 });

  it("adds up what the promise counts, not what it was spread over", () => {
    expect(mergedStrength([first, second]).looks).toEqual([
      { of: "jobs", count: 42 },
      { of: "workers", count: 3 },
      { of: "ends", count: 4 },
    ]);
  });

  it("leaves untried what none of them tried", () => {
    const without = (...notTried: string[]) => ({ ...first, notTried });
    const merged = mergedStrength([without("reset", "silence"), without("silence")]);
    expect(merged.notTried).toEqual(["silence"]);
  });

  it("goes with the merged finding", () => {
    const finding = mergeFindings([
      kept("job.shape", "a", { strength: first }),
      kept("job.shape", "b", { strength: second }),
      kept("job.shape", "c"),
    ]);
    expect(finding.strength?.looks[0]).toEqual({ of: "jobs", count: 42 });
  });

  it("is told with what was looked at in passing", () => {
    const asked = kept("job.shape", "12 of 12 jobs", { strength: first });
    const seen = kept("job.shape", "30 samples", { strength: second });
    const passing = { ...seen, inPassing: true } as const;
    const merged = mergeFindings([asked, passing]);
    expect(merged.summary).toBe("12 of 12 jobs");
    expect(mergeRuns([merged, passing]).summary).toBe("12 of 12 jobs; in passing 30 more");
    expect(mergeRuns([asked, asked]).summary).toBe("12 of 12 jobs");
  });
});
