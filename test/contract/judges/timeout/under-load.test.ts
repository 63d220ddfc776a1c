/** Jobs of a soak that run into their worker's limit. */

import { describe, expect, it } from "vitest";
import type { LimitReading } from "../../../../contract/judges/timeout/limited-job.ts";
import {
  addTimedOutJob,
  TIMEOUTS,
  underLoadClaim,
} from "../../../../contract/judges/timeout/under-load.ts";
import type { Sample } from "../../../../contract/judging/claim.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { answer } from "../answers.ts";

const KEPT: Sample = { low: 0, high: 0, what: "" };
const fault = (what: string): Sample => ({ low: 1, high: 1, what });
/** At 20 s, of which 0.25 s less and 2 s more are tolerated. */
const ran = (ms: number): Sample => {
  const tolerated = { low: 19_750, high: 22_000 };
  return { low: ms, high: ms, tolerated, what: `ran for ${ms} ms; promised 20 s` };
};
const LATE = ran(23_000);
const EARLY = ran(19_000);

function job(change: Partial<LimitReading> = {}): LimitReading {
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
    isShortened: false,
    slowStartMs: 0,
    fires: KEPT,
    notEarly: KEPT,
    notLate: KEPT,
    free: KEPT,
    isPriced: true,
    ...change,
  };
}

/** Twenty jobs, of which some are given. */
function verdictOf(some: readonly LimitReading[], lagMs: number): string {
  const tally = TIMEOUTS.empty();
  const healthy = Array.from({ length: 20 - some.length }, () => job());
  for (const each of [...some, ...healthy]) addTimedOutJob(tally, each);
  return decide(underLoadClaim(tally, lagMs, "none", [])).verdict;
}

const times = (count: number, change: Partial<LimitReading>) =>
  Array.from({ length: count }, () => job(change));

const FAILED: Partial<LimitReading> = {
  end: "failed",
  fires: fault("a job ended as failed"),
};
const CHARGED: Partial<LimitReading> = { free: fault("charged 1 credit") };

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
    expect(decide(underLoadClaim(TIMEOUTS.empty(), 0, "none", [])).verdict).toBe("unobserved");
  });
});

it.each([
  { title: "a wrong end by the answer that tells it", change: FAILED, statuses: [202, 201] },
  { title: "a late end after the run", change: { notLate: LATE }, statuses: [202, 200, 201] },
])("shows $title", ({ change, statuses }) => {
  const one = job(change);
  const history = { ...one.history, polls: [answer(200), answer(201)] };
  const tally = TIMEOUTS.empty();
  addTimedOutJob(tally, { ...one, history });
  const { observations = [] } = decide(underLoadClaim(tally, 0, "none", []));
  expect(observations.map((each) => each.answer)).toEqual(statuses.map(String));
});
