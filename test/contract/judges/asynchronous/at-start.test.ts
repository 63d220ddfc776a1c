/** Answers to submissions that come as their jobs start, and such as come late otherwise. */

import { describe, expect, it } from "vitest";
import { judgeAnsweredAtStart } from "../../../../contract/judges/asynchronous/at-start.ts";
import type { JobReading } from "../../../../contract/judges/job/reading.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import type { Variant } from "../../../../contract/states.ts";
import { answer } from "../answers.ts";

/** Not a full second: that may be all that a service tells of its times. */
const T0 = Date.UTC(2026, 0, 1, 0, 0, 0, 137);
const RUN_MS = 1_000;

interface Told {
  variant?: Variant;
  /** From the submission to the start, and to the answer. */
  waitMs: number;
  answeredMs: number;
  atMs?: number;
  worker?: string;
  /** How long a poll takes that shows the end. */
  polledMs?: number;
  /** Whether a poll after the answer shows the job queued. */
  isQueuedAfter?: boolean;
}

const iso = (ms: number) => new Date(ms).toISOString();

function bodyOf(variant: Variant, id: string, fromMs: number, waitMs: number, isQueued: boolean) {
  const [start, end] = [fromMs + waitMs, fromMs + waitMs + RUN_MS];
  const times = isQueued ? [null, null, null] : [iso(start), iso(end), RUN_MS];
  const [started_at, finished_at, duration_ms] = times;
  if (variant === "A") {
    const status = isQueued ? "queued" : "completed";
    const stamps = { created_at: iso(fromMs), completed_at: finished_at };
    return { job_uuid: id, status, worker: "echo", result: {}, duration_ms, ...stamps };
  }
  const timestamps = { submitted_at: iso(fromMs), started_at, finished_at, duration_ms };
  return { job_id: id, worker_id: "echo", status: isQueued ? "QUEUED" : "SUCCEEDED", timestamps };
}

function jobOf(told: Told): JobReading[] {
  const { variant = "B", waitMs, answeredMs, atMs = 0, isQueuedAfter = false } = told;
  const { worker = "echo", polledMs = 5 } = told;
  const fromMs = T0 + atMs;
  const id = `job_${atMs}_${waitMs}`;
  const ask = (sentAtMs: number, body: object) =>
    answer(200, {
      ...{ path: `/v1/jobs/${id}`, sentAtMs, receivedAtMs: sentAtMs + polledMs },
      body: JSON.stringify(body),
    });
  const submission = answer(202, {
    ...{ method: "POST", sentAtMs: fromMs, receivedAtMs: fromMs + answeredMs },
    body: JSON.stringify({ job_uuid: id, status: "QUEUED" }),
  });
  const queued = ask(fromMs + answeredMs + 10, bodyOf(variant, id, fromMs, waitMs, true));
  const ended = ask(
    fromMs + answeredMs + waitMs + RUN_MS,
    bodyOf(variant, id, fromMs, waitMs, false),
  );
  const polls = isQueuedAfter ? [queued, ended] : [ended];
  const history = {
    ...{ submission, issuedId: id, workerId: worker, polls, cancelRequests: [] },
    ...{ expected: "completed" as const, gaveUpAtMs: null, deadlineMs: 60_000 },
  };
  return [...readHistories([history])];
}

/** Jobs that did not wait, asked for all along. */
const AT_ONCE = Array.from({ length: 40 }, (_, at) =>
  jobOf({ waitMs: 0, answeredMs: 5, atMs: at * 500 }),
).flat();

const waiting = (answeredMs: (waitMs: number) => number, more: Partial<Told> = {}) =>
  [2_000, 4_000, 6_000, 8_000].flatMap((waitMs, at) =>
    jobOf({ waitMs, answeredMs: answeredMs(waitMs), atMs: at, ...more }),
  );

describe("answers to jobs that wait", () => {
  it.each(["A", "B"] as const)("come as they start, variant %s", (variant) => {
    const jobs = waiting((waitMs) => waitMs, { variant });
    const [finding] = judgeAnsweredAtStart([...AT_ONCE, ...jobs]);
    expect(finding).toMatchObject({ promise: "submit.asynchronous", verdict: "broken" });
    expect(finding?.summary).toContain("4 of 44 jobs: the response to a submission took 8000 ms");
  });

  it.each([
    ["at once", waiting(() => 5)],
    ["as slowly as polls are answered", waiting((waitMs) => waitMs, { polledMs: 2_000 })],
    ["late, as all of their worker's", waiting((waitMs) => waitMs, { worker: "large-inputs" })],
    ["late by another time", waiting((waitMs) => waitMs / 2)],
    ["as some of them start", [...waiting((ms) => ms), ...waiting(() => 5, { atMs: 90 })].slice(2)],
    ["as they start by a view that lags", waiting((ms) => ms, { isQueuedAfter: true })],
    [
      "as they start, all at one moment",
      [3, 2, 1, 0].flatMap((at) => {
        return jobOf({ waitMs: 4_000 - at, answeredMs: 4_000 - at, atMs: at });
      }),
    ],
  ])("come %s", (_name, jobs) => {
    expect(judgeAnsweredAtStart([...AT_ONCE, ...jobs])).toEqual([]);
  });

  it("come as they start, while nothing else is answered", () => {
    expect(judgeAnsweredAtStart(waiting((waitMs) => waitMs))).toEqual([]);
  });
});
