/** What single canaries contradict, and what the machine's own lag leaves in doubt. */

import { describe, expect, it } from "vitest";
import type { Delivery } from "../../contract/jobs/delivery.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { WebhookWatch } from "../../probe/judging.ts";
import {
  heldToLimit,
  violationsOfCheck,
  violationsOfJob,
  violationsOfWebhook,
} from "../../probe/judging.ts";
import { JobSeries } from "../../probe/judging-series.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { BASE_TARGET, key } from "../gate/base-target.ts";
import { arrived } from "../receiver/arrived.ts";

const START_MS = 1_700_000_000_000;

const SUBMISSION: Exchange = {
  method: "POST",
  route: "submit",
  path: "/v1/workers/echo/jobs",
  key: "pro",
  requestBody: "{}",
  status: 202,
  headers: {},
  body: '{"job_uuid":"job_1","status":"queued"}',
  error: null,
  sentAtMs: START_MS,
  receivedAtMs: START_MS + 5,
};

const HISTORY = {
  submission: SUBMISSION,
  issuedId: "job_1",
  workerId: "echo",
  polls: [],
  cancelRequests: [],
  expected: "completed",
  gaveUpAtMs: null,
  deadlineMs: 60_000,
} as const;

/** A delivery of the job's completion that was answered 200 as soon as it came. */
function delivery(attempt: number, afterMs: number): Delivery {
  const arrivedAtMs = START_MS + afterMs;
  const fired_at = new Date(START_MS).toISOString();
  const body = { event: "job.completed", job_uuid: "job_1", status: "completed", result: {} };
  return arrived({
    token: "probe-1",
    attempt,
    arrivedAtMs,
    body: JSON.stringify({ ...body, fired_at }),
    answeredAtMs: arrivedAtMs + 1,
  });
}

it.each([200, 401, 403])("a web page of something in front with %s breaks nothing", (status) => {
  const page = { status, headers: { "content-type": "text/html" }, body: "<html>" };
  const submission = { ...SUBMISSION, ...page };
  expect(violationsOfJob({ ...HISTORY, submission, issuedId: null }, true)).toEqual([]);
  for (const route of ["workers", "me"] as const) {
    expect(violationsOfCheck({ ...submission, route })).toEqual([]);
    expect(violationsOfCheck({ ...submission, route, headers: {}, body: "no" })).toHaveLength(1);
  }
});

describe("a job that still runs at its canary's deadline of 6 s", () => {
  it.each([
    ["within its worker's limit is not lost", 30, []],
    ["beyond its worker's limit does not end", 1, ["job.never-lost"]],
    ["of a worker whose limit is not known is not judged", null, []],
  ] as const)("%s", (_, limitSeconds, promises) => {
    const polls = [500, 5_500].map((afterMs) => running(START_MS + afterMs));
    const gaveUpAtMs = START_MS + 6_000;
    const history = { ...HISTORY, polls, gaveUpAtMs, deadlineMs: 6_000 };
    const found = violationsOfJob(heldToLimit(history, limitSeconds, BASE_TARGET), true);
    const lost = found.filter(({ promise }) => promise === "job.never-lost");
    expect(lost.map(({ promise }) => promise)).toEqual(promises);
  });
});

it("a job that is starting up at its deadline is not lost: no limit speaks of that", () => {
  const times = { submitted_at: new Date(START_MS).toISOString() };
  const job = { job_id: "job_1", worker_id: "echo", status: "STARTING", timestamps: times };
  const polls = [500, 119_500].map((afterMs) => ({
    ...running(START_MS + afterMs),
    body: JSON.stringify({ ...job, error: null }),
  }));
  const gaveUpAtMs = START_MS + 120_000;
  const history = { ...HISTORY, polls, gaveUpAtMs, deadlineMs: 120_000 };
  const found = violationsOfJob(heldToLimit(history, 5, BASE_TARGET), true);
  expect(found.map(({ promise }) => promise)).not.toContain("job.never-lost");
});

function running(sentAtMs: number): Exchange {
  const body = { job_uuid: "job_1", status: "running", worker: "echo" };
  const created_at = new Date(START_MS).toISOString();
  const text = JSON.stringify({ ...body, created_at, error: null });
  const times = { sentAtMs, receivedAtMs: sentAtMs + 5 };
  return { ...SUBMISSION, method: "GET", route: "job", status: 200, body: text, ...times };
}

describe(covers("a delivery that was answered 200 and comes again", "42 probe"), () => {
  it.each([
    ["in real time", 1, 5_010, 0, ["webhook.once"]],
    ["in real time, on a machine that lags a little", 1, 5_010, 500, ["webhook.once"]],
    ["in real time, on a machine that stood still for long", 1, 5_010, 9_000, []],
    ["in scaled time", 0.02, 105, 2, ["webhook.once"]],
    ["in scaled time, on a machine that is late by an answer's time", 0.02, 305, 250, []],
    ["in scaled time, on a machine that lags a little", 0.02, 105, 40, ["webhook.once"]],
  ] as const)("%s", (_, timeScale, gapMs, lagMs, promises) => {
    const watch: WebhookWatch = {
      part: "success",
      history: HISTORY,
      end: "completed",
      deliveries: [delivery(1, 1_000), delivery(2, 1_000 + gapMs)],
      endKnownAtMs: START_MS + 900,
      watchedUntilMs: START_MS + 60_000,
      lagMs,
      isReached: true,
    };
    const target = { ...BASE_TARGET, timeScale };
    // One alone may be a network's doing, which lost the answer.
    expect(violationsOfWebhook(watch, target)).toEqual([]);
    const series = new JobSeries();
    expect(series.webhookViolations(watch, target)).toEqual([]);
    const found = series.webhookViolations(watch, target);
    expect(found.map(({ promise }) => promise)).toEqual(promises);
  });
});

describe("after a delivery that came again", () => {
  it.each([
    ["one that came once is not held against the service", 5_010, 1, 0, []],
    ["nor is it when the earlier one was told at once", 1_000, 1, 0, []],
    ["another that came again is", 5_010, 2, 19, ["webhook.once"]],
    ["but not so many deliveries later", 5_010, 2, 20, []],
    ["nor when the earlier one was told at once", 1_000, 2, 0, []],
  ] as const)("%s", (_, firstGapMs, deliveries, onceBetween, promises) => {
    const watchOf = (gaps: readonly number[]): WebhookWatch => ({
      part: "success",
      history: HISTORY,
      end: "completed",
      deliveries: [0, ...gaps].map((ms, at) => delivery(at + 1, 1_000 + ms)),
      endKnownAtMs: START_MS + 900,
      watchedUntilMs: START_MS + 60_000,
      lagMs: 0,
      isReached: true,
    });
    const series = new JobSeries();
    const told = (gaps: readonly number[]) =>
      series.webhookViolations(watchOf(gaps), BASE_TARGET).map(({ promise }) => promise);
    expect(told([firstGapMs])).toEqual(firstGapMs < 5_000 ? ["webhook.once"] : []);
    for (let n = 0; n < onceBetween; n += 1) expect(told([])).toEqual([]);
    expect(told(deliveries > 1 ? [5_010] : [])).toEqual(promises);
  });
});

it.each([
  ["its own key's", "PRO_HOOK", []],
  ["another key's", "FREE_HOOK", ["webhook.signed"]],
] as const)("a delivery that is signed with %s secret", (_, holder, promises) => {
  const watch: WebhookWatch = {
    part: "success",
    history: HISTORY,
    end: "completed",
    deliveries: [{ ...delivery(1, 1_000), signature: "valid", secretEnvs: [holder] }],
    endKnownAtMs: START_MS + 900,
    watchedUntilMs: START_MS + 60_000,
    lagMs: 0,
    isReached: true,
  };
  const keys = ["pro", "free"].map((name) => {
    return key(name, { webhookSecretEnv: `${name.toUpperCase()}_HOOK` });
  });
  const found = violationsOfWebhook(watch, { ...BASE_TARGET, keys });
  expect(found.map(({ promise }) => promise)).toEqual(promises);
});

describe("a delivery without an object as result", () => {
  it.each([
    ["of a job that gave one breaks a promise", "completed", { text: "hello" }, ["webhook.body"]],
    ["of a job that failed instead breaks none: its body is open", "failed", null, []],
    ["of a job without any breaks none: its output may be a list", "completed", null, []],
  ] as const)("%s", (_, end, shown, promises) => {
    const { body, ...rest } = delivery(1, 1_000);
    const bare = { ...(JSON.parse(body) as object), status: end, result: null };
    const job = { job_uuid: "job_1", status: end, worker: "echo", result: shown };
    const watch: WebhookWatch = {
      part: "success",
      history: { ...HISTORY, polls: [{ ...SUBMISSION, status: 200, body: JSON.stringify(job) }] },
      end,
      deliveries: [{ ...rest, body: JSON.stringify(bare) }],
      endKnownAtMs: START_MS + 900,
      watchedUntilMs: START_MS + 60_000,
      lagMs: 0,
      isReached: true,
    };
    const found = violationsOfWebhook(watch, BASE_TARGET);
    expect(found.map(({ promise }) => promise)).toEqual(promises);
  });
});
