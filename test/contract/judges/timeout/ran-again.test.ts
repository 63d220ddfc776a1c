/** Jobs of variant A that were seen running before the run of which they state the duration. */

import { expect, it } from "vitest";
import { boundsOf } from "../../../../contract/judges/timeout/bounds.ts";
import { readLimitedJob } from "../../../../contract/judges/timeout/limited-job.ts";
import { addTimedOutJob, TIMEOUTS } from "../../../../contract/judges/timeout/under-load.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { at, T0, withJson } from "../answers.ts";

/** Ends at 10 s, not after 12 s. */
const BOUNDS = boundsOf(10, BASE_PLAN.times);

/** `endClockMs`: by how much the clock that stamps the end is ahead of the one before. */
const SHOWN = { shownAfterMs: 5_000, endClockMs: 0 };

/** A job that is polled twice: once while it runs, and once after its end. */
function lateJobs(seenMs: number, endMs: number, clockMs: number, shown = SHOWN) {
  const { shownAfterMs, endClockMs } = shown;
  const iso = (ms: number) => new Date(T0 + clockMs + ms).toISOString();
  const common = { job_uuid: "job-1", worker: "nap", created_at: iso(20) };
  const ended = { completed_at: iso(endMs + endClockMs + 1), duration_ms: 10_000, cost_credits: 0 };
  const running = withJson(200, { ...common, status: "running" }, at(seenMs));
  const last = withJson(200, { ...common, status: "timeout", ...ended }, at(endMs + shownAfterMs));
  const history = {
    submission: withJson(202, { ...common, status: "queued" }, at(0)),
    issuedId: "job-1",
    workerId: "nap",
    polls: [running, last],
    cancelRequests: [],
    expected: "timeout",
    gaveUpAtMs: null,
    deadlineMs: 60_000,
  } as const;
  const tally = TIMEOUTS.empty();
  addTimedOutJob(tally, readLimitedJob(history, BOUNDS, "running"));
  return tally.late;
}

it.each([
  ["until its limit", 1_000, 10_500, 0, 0],
  ["4 s before the run that it states", 1_000, 15_000, 0, 0],
  ["10 s before the run that it states", 1_000, 21_000, 0, 1],
  ["10 s before it, by a clock that is an hour ahead", 1_000, 21_000, 3_600_000, 1],
  ["after 10 s in the queue", 11_500, 21_000, 0, 0],
] as const)("a job that was seen running %s", (_, seenMs, endMs, clockMs, late) => {
  expect(lateJobs(seenMs, endMs, clockMs).count).toBe(late);
});

it("never ran on after its end was seen, whatever its stamps say", () => {
  const shown = { shownAfterMs: 300, endClockMs: 40_000 };
  expect(lateJobs(1_000, 10_500, 0, shown).count).toBe(0);
});

it("is shown with the poll that saw it running, and with its end", () => {
  const [violation] = lateJobs(1_000, 21_000, 0).kept;
  const shown = violation?.exchanges.map(({ body }) => body.replace(/.*"status":"(.*?)".*/, "$1"));
  expect(shown).toEqual(["queued", "running", "timeout"]);
  expect(violation?.what).toMatch(/after running 17\.\d+ s; promised 10 s/);
});
