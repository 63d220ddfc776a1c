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
const LATE: Opinion = { outcome: "broken", what: "ran for 23 s; promised 20 s" };
const LAGGED: Opinion = { outcome: "doubtful", what: "and the suite itself lagged" };

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
function verdictOf(some: readonly TimedOutJob[], isScaled: boolean): string {
  const tally = newTimeoutTally();
  const healthy = Array.from({ length: 20 - some.length }, () => job());
  for (const each of [...some, ...healthy]) addTimedOutJob(tally, each);
  return judgeTimeoutsUnderLoad(tally, isScaled, "none").verdict;
}

const times = (count: number, change: Partial<TimedOutJob>) =>
  Array.from({ length: count }, () => job(change));

const FAILED: Partial<TimedOutJob> = {
  end: "failed",
  fires: { outcome: "broken", what: "a job ended as failed" },
};
const CHARGED: Partial<TimedOutJob> = { free: { outcome: "broken", what: "charged 1 credit" } };

const CASES = [
  { title: "all in time and free", some: [], real: "kept", scaled: "kept" },
  { title: "one that failed", some: times(1, FAILED), real: "broken", scaled: "broken" },
  { title: "one that was charged", some: times(1, CHARGED), real: "broken", scaled: "broken" },
  { title: "one that was late", some: times(1, { notLate: LATE }), real: "broken", scaled: "kept" },
  { title: "three late", some: times(3, { notLate: LATE }), real: "broken", scaled: "broken" },
  {
    title: "one in doubt",
    some: times(1, { notLate: LAGGED }),
    real: "inconclusive",
    scaled: "kept",
  },
  {
    title: "three in doubt",
    some: times(3, { notLate: LAGGED }),
    real: "inconclusive",
    scaled: "inconclusive",
  },
] as const;

describe("timeout.under-load", () => {
  it.each(CASES)("$title: $real in real time, $scaled on a fast clock", (each) => {
    expect([verdictOf(each.some, false), verdictOf(each.some, true)]).toEqual([
      each.real,
      each.scaled,
    ]);
  });

  it("is unobserved without such a job", () => {
    expect(judgeTimeoutsUnderLoad(newTimeoutTally(), false, "none").verdict).toBe("unobserved");
  });
});
