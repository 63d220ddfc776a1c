/** What a job list tells of a submission whose answer was lost. */

import { describe, expect, it } from "vitest";
import { NESTING_MAX } from "../../contract/answers/nesting.ts";
import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { outcomeOfLost } from "../../probe/outcome.ts";
import { candidatesIn, findSubmission } from "../../probe/reconcile.ts";

describe("what the list says of a lost submission", () => {
  const LOST = "ambiguous_submission";
  const empty = JSON.stringify({ jobs: [] });
  it.each([
    ["that does not show it", answerOf(200, empty), false, "http_error"],
    ["that shows a job that may be it", answerOf(200, empty), true, "ambiguous_submission"],
    ["answered 429, and may show it at another time", answerOf(429, ""), true, "rate_limited"],
    ["answered 503, which showed a job", answerOf(503, ""), true, "ambiguous_submission"],
    ["that was not asked for", null, false, "ambiguous_submission"],
    ["in a form that nobody knows", answerOf(200, "{}"), false, "ambiguous_submission"],
    ["in whose place a proxy sends a page", answerOf(200, "<html>"), false, "http_error"],
    ["that is cut off, of a whole one before", answerOf(200, '{"jobs": ['), true, LOST],
    ["that is not answered", answerOf(0, "", "timeout"), false, "http_error"],
    ["that this machine could not ask for", answerOf(0, "", "local"), false, "probe_error"],
    ["answered 503", answerOf(503, ""), false, "http_error"],
    ["answered 401", answerOf(401, ""), false, "auth"],
    ["answered 429", answerOf(429, ""), false, "rate_limited"],
  ] as const)("a list %s", (_, list, mayBeListed, outcome) => {
    expect(outcomeOfLost(list, mayBeListed)).toBe(outcome);
  });
});

function answerOf(status: number, body: string, error: Exchange["error"] = null): Exchange {
  const asked = { method: "GET", route: "jobs", path: "/v1/jobs", key: null } as const;
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  return { ...asked, requestBody: null, headers: {}, status, body, error, ...times };
}

describe("the job list", () => {
  const times = { sentAtMs: 1_000_000, lostAtMs: 1_010_000 };
  const lost = { workerId: "echo", mark: "mark-1", token: "probe-1", ...times };
  const around = { isKnown: () => false, offset: { lowMs: 0, highMs: 0 } };
  const created = (ms: number) => new Date(ms).toISOString();
  const listOf = (...jobs: object[]) => {
    const list = decodeJobList({ jobs });
    if (list === null) throw new Error("no list");
    return list;
  };
  const job = (id: string, atMs: number, more: object = {}) => {
    return { job_uuid: id, worker: "echo", created_at: created(atMs), ...more };
  };

  it("names the job by its mark, whatever else is in it", () => {
    const list = listOf(job("a", 1_001_000), job("b", 900, { input: { text: "mark-1" } }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "marker" });
  });

  it("names the job by the webhook token that its entry shows", () => {
    const list = listOf(job("a", 1_001_000), job("b", 1_002_000, { webhook: "http://x/probe-1" }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "webhook" });
  });

  it("names it beside an entry that nests as deeply as is read", () => {
    const nested: unknown = JSON.parse("[".repeat(NESTING_MAX) + "]".repeat(NESTING_MAX));
    const list = listOf(job("a", 0, { nested }), job("b", 900, { input: { text: "mark-1" } }));
    expect(findSubmission(list, lost, around)).toEqual({ jobId: "b", how: "marker" });
  });

  it.each([
    ["only worker and time fit, as others may use the account", listOf(job("a", 1_001_000)), {}],
    ["two jobs bear the mark", listOf(job("a", 0, { x: "mark-1" }), job("b", 0, { x: "mark-1" }))],
    [
      "the job is another submission's",
      listOf(job("a", 0, { x: "mark-1" })),
      { isKnown: () => true },
    ],
  ])("names none when %s", (_why, list, changes = {}) => {
    expect(findSubmission(list, lost, { ...around, ...changes })).toBeNull();
  });

  it("says which jobs it may be: new ones of the worker and the time", () => {
    const entries = [
      job("a", 1_001_000),
      job("old", 990_000),
      job("late", 1_020_000),
      job("other", 1_001_000, { worker: "sleep" }),
      { job_uuid: "bare" },
    ];
    expect(candidatesIn(listOf(...entries), lost, around)).toEqual(["a", "bare"]);
  });
});
