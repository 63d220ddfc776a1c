/** Jobs of a soak that run into their worker's limit. */

import { describe, expect, it } from "vitest";
import {
  addTimedOutJob,
  judgeTimeoutsUnderLoad,
  newTimeoutTally,
} from "../../../../contract/judges/load/timeouts.ts";
import type { Opinion, TimedOutJob } from "../../../../contract/judges/timeout/timed-out-job.ts";
import { answer } from "../answers.ts";

const KEPT: Opinion = { outcome: "kept", what: "" };
const LATE: Opinion = { outcome: "broken", what: "ran for 23 s; promised 20 s", beyondMs: 1_000 };
const EARLY: Opinion = { outcome: "broken", what: "ran for 19 s; promised 20 s", beyondMs: 750 };

function job(change: Partial<TimedOutJob> = {}): TimedOutJob {
  const submission = answer(202);
  return {
    history: {
      submission,
      issuedId: "job-1",
      workerId: "nap",
      polls: [submission],
      cancelRequests: [],
      expected: "timeout",
      gaveUpAtMs: null,
      deadlineMs: 0,
    },
    end: "timeout",
    run: null,
    fires: KEPT,
    notEarly: KEPT,
    notLate: KEPT,
    free: KEPT,
    exchanges: [],
    ...change,
  };
}

/** Twenty jobs, of which some are given. */
function verdictOf(some: readonly TimedOutJob[], lagMs: number): string {
  const tally = newTimeoutTally();
  const healthy = Array.from({ length: 20 - some.length }, () => job());
  for (const each of [...some, ...healthy]) addTimedOutJob(tally, each);
  return judgeTimeoutsUnderLoad(tally, lagMs, "none").verdict;
}

const times = (count: number, change: Partial<TimedOutJob>) =>
  Array.from({ length: count }, () => job(change));

const FAILED: Partial<TimedOutJob> = {
  end: "failed",
  fires: { outcome: "broken", what: "a job ended as failed" },
};
const CHARGED: Partial<TimedOutJob> = { free: { outcome: "broken", what: "charged 1 credit" } };

/** With a machine that was never late, and one that was late by more than the jobs. */
const CASES = [
  { title: "all in time and free", some: [], verdicts: ["kept", "kept"] },
  { title: "one that failed", some: times(1, FAILED), verdicts: ["broken", "broken"] },
  { title: "one that was charged", some: times(1, CHARGED), verdicts: ["broken", "broken"] },
  { title: "one that was late", some: times(1, { notLate: LATE }), verdicts: ["broken", "kept"] },
  {
    title: "one that was early",
    some: times(1, { notEarly: EARLY }),
    verdicts: ["broken", "kept"],
  },
  { title: "five late", some: times(5, { notLate: LATE }), verdicts: ["broken", "inconclusive"] },
] as const;

describe("timeout.under-load", () => {
  it.each(CASES)("$title, without lag and with as much: $verdicts", ({ some, verdicts }) => {
    expect([verdictOf(some, 0), verdictOf(some, 1_200)]).toEqual(verdicts);
  });

  it("is broken by one job that is later than tolerance and lag together", () => {
    expect(verdictOf(times(1, { notLate: LATE }), 900)).toBe("broken");
  });

  it("is unobserved without such a job", () => {
    expect(judgeTimeoutsUnderLoad(newTimeoutTally(), 0, "none").verdict).toBe("unobserved");
  });
});
