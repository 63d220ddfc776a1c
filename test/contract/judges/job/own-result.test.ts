/** A job's result is that of its own input, told by the mark in it. */

import { describe, expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { Variant } from "../../../../contract/states.ts";
import { findingOf, INPUT_MARK, run } from "./fixtures.ts";

const OTHER_MARK = "plumbline-fedcba9876543210";

function judged(variant: Variant, mark: string) {
  const edit = (body: object) => {
    return JSON.parse(JSON.stringify(body).replaceAll(INPUT_MARK, mark)) as typeof body;
  };
  return findingOf(judgeJobs(run({ variant, edit })), "job.own-result");
}

describe.each(["A", "B"] as const)("job.own-result in variant %s", (variant) => {
  it("is kept where the mark of the input comes back", () => {
    expect(judged(variant, INPUT_MARK)).toMatchObject({
      verdict: "kept",
      strength: {
        looks: [
          { of: "jobs", count: 1 },
          { of: "workers", count: 1 },
        ],
      },
    });
  });

  it("is broken by another job's mark", () => {
    const { verdict, summary, observations } = judged(variant, OTHER_MARK);
    expect(verdict).toBe("broken");
    expect(summary).toContain(`job job-completed holds "${OTHER_MARK}"`);
    expect(observations).toHaveLength(1);
  });

  it("is not observed where no result holds a mark", () => {
    expect(judged(variant, "hello").verdict).toBe("unobserved");
  });

  it("is broken by a result without the mark where its worker gives others back", () => {
    let looks = 0;
    const jobs = [...run({ variant }), ...run({ variant })].map((history, at) => {
      if (at < 4) return history;
      const issuedId = `${history.issuedId}-2`;
      const polls = history.polls.map((poll) => {
        looks += 1;
        return { ...poll, body: poll.body.replaceAll(INPUT_MARK, "hello") };
      });
      return { ...history, issuedId, polls };
    });
    expect(looks).toBeGreaterThan(0);
    const { verdict, summary } = findingOf(judgeJobs(jobs), "job.own-result");
    expect([verdict, summary]).toEqual(["broken", expect.stringContaining("lacks")]);
  });
});
