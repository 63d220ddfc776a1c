/** Jobs of a soak that run into their worker's limit. */

import { describe, expect, it } from "vitest";
import { newHistogram, recordValue } from "../../../../contract/histogram.ts";
import type { FastClock } from "../../../../contract/judges/load/timeouts.ts";
import {
  addTimedOutJob,
  judgeTimeoutsUnderLoad,
  newTimeoutTally,
} from "../../../../contract/judges/load/timeouts.ts";
import type { Opinion, TimedOutJob } from "../../../../contract/judges/timeout/timed-out-job.ts";
import { answer } from "../answers.ts";

const KEPT: Opinion = { outcome: "kept", what: "" };
const LATE: Opinion = { outcome: "broken", what: "ran for 23 s; promised 20 s" };
const EARLY: Opinion = { outcome: "broken", what: "ran for 19 s; promised 20 s" };

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

/** A target fifty times as fast, whose short jobs are late by 100 ms in that share. */
function fastClock(lateShare: number, doubt: string | null = null): FastClock {
  const shortRuns = newHistogram();
  for (let n = 0; n < 100; n += 1) recordValue(shortRuns, n < lateShare * 100 ? 115 : 15);
  return { shortRuns, lateMs: 40, doubt };
}

/** Twenty jobs, of which some are given. */
function verdictOf(some: readonly TimedOutJob[], clock: FastClock | null): string {
  const tally = newTimeoutTally();
  const healthy = Array.from({ length: 20 - some.length }, () => job());
  for (const each of [...some, ...healthy]) addTimedOutJob(tally, each);
  return judgeTimeoutsUnderLoad(tally, clock, "none").verdict;
}

const times = (count: number, change: Partial<TimedOutJob>) =>
  Array.from({ length: count }, () => job(change));

const FAILED: Partial<TimedOutJob> = {
  end: "failed",
  fires: { outcome: "broken", what: "a job ended as failed" },
};
const CHARGED: Partial<TimedOutJob> = { free: { outcome: "broken", what: "charged 1 credit" } };

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
  { title: "four late", some: times(4, { notLate: LATE }), verdicts: ["broken", "inconclusive"] },
  { title: "five late", some: times(5, { notLate: LATE }), verdicts: ["broken", "broken"] },
  { title: "five early", some: times(5, { notEarly: EARLY }), verdicts: ["broken", "broken"] },
] as const;

describe("timeout.under-load", () => {
  it.each(CASES)("$title, in real time and on a fast clock: $verdicts", ({ some, verdicts }) => {
    expect([verdictOf(some, null), verdictOf(some, fastClock(0))]).toEqual(verdicts);
  });

  it("is not broken by jobs that are late as often as short ones, on a fast clock", () => {
    const late = times(5, { notLate: LATE });
    expect(verdictOf(late, fastClock(0.2))).toBe("inconclusive");
    expect(verdictOf(late, fastClock(0.01))).toBe("broken");
    expect(verdictOf(times(20, { notLate: LATE }), fastClock(0.2))).toBe("broken");
  });

  it("is not broken by late jobs where threads were left waiting", () => {
    const late = times(20, { notLate: LATE });
    expect(verdictOf(late, fastClock(0, "this machine let threads wait"))).toBe("inconclusive");
  });

  it("is unobserved without such a job", () => {
    expect(judgeTimeoutsUnderLoad(newTimeoutTally(), null, "none").verdict).toBe("unobserved");
  });
});
