/** Limits of the jobs of a soak, which are seen at their end only, by the starts of a few. */

import { describe, expect, it } from "vitest";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { boundsOf } from "../../../../contract/judges/timeout/bounds.ts";
import { readLimitedJob } from "../../../../contract/judges/timeout/limited-job.ts";
import { stampOfStarts } from "../../../../contract/judges/timeout/start-up.ts";
import {
  addTimedOutJob,
  TIMEOUTS,
  underLoadClaim,
} from "../../../../contract/judges/timeout/under-load.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import type { ObservedJob } from "./observed-job.ts";
import { observed } from "./observed-job.ts";

const BOUNDS = boundsOf(20, BASE_PLAN.times);
const WATCHED_MS = 5_000;
const MAYBE = "inconclusive";

/**
 * Five jobs that are watched while they start, and what all say that are seen at their end: 20, of
 * which the last may be another one.
 */
function verdictOf(job: ObservedJob, last = job): string {
  const all = Array.from({ length: 20 }, (_, n) => observed(n < 19 ? job : last, n + 1).history);
  const starts = all.slice(0, 5).map((history) => {
    const untilMs = history.submission.sentAtMs + WATCHED_MS;
    return { ...history, polls: history.polls.filter(({ sentAtMs }) => sentAtMs < untilMs) };
  });
  const stamp = stampOfStarts(readHistories(starts));
  const tally = TIMEOUTS.empty();
  for (const history of all) {
    const seen = { ...history, polls: history.polls.slice(-1) };
    addTimedOutJob(tally, readLimitedJob(seen, BOUNDS, stamp));
  }
  return decide(underLoadClaim(tally, 0, "none", [])).verdict;
}

describe("timeout.under-load", () => {
  it.each([
    ["a limit that counts from the run on", "running", 3_000, 20_000, "kept"],
    ["one that fires 4 s late", "running", 3_000, 24_000, "broken"],
    ["one that fires 4 s late, without a start-up", "running", 0, 24_000, "broken"],
    ["one from the run on, where the start-up is told as run", "starting", 3_000, 20_000, MAYBE],
    ["one from the start-up on, where that is told as run", "starting", 3_000, 17_000, "kept"],
  ] as const)("%s: started_at at %s", (_, stamped, startUpMs, ranMs, verdict) => {
    expect(verdictOf({ stamped, startUpMs, ranMs })).toBe(verdict);
  });

  it.each([
    ["starts slowly, as none was seen to", 24_000, MAYBE],
    ["is late by more than any start takes", 29_000, "broken"],
  ])("of one job among many that %s", (_, ranMs, verdict) => {
    const usual = { stamped: "running", startUpMs: 0, ranMs: 20_000 } as const;
    expect(verdictOf(usual, { ...usual, ranMs })).toBe(verdict);
  });

  it("is in doubt where nothing is told before the end", () => {
    const job = {
      stamped: "starting",
      startUpMs: 3_000,
      ranMs: 20_000,
      isSecretive: true,
    } as const;
    expect(verdictOf(job)).toBe(MAYBE);
  });
});
