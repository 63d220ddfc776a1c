/** What the last polls before a deadline say of a job that has not been seen to end. */

import { expect, it } from "vitest";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { outcomeOfDeadline } from "../../probe/outcome.ts";

const JOB = "job_1";

function poll(sentAtMs: number, told: Partial<Exchange>): Exchange {
  const about = { method: "GET", route: "job", path: `/v1/jobs/${JOB}`, key: "pro" } as const;
  const rest = { requestBody: null, headers: {}, body: "", error: null, status: 200 };
  return { ...about, ...rest, sentAtMs, receivedAtMs: sentAtMs + 100, ...told };
}

const OPEN = { body: JSON.stringify({ job_uuid: JOB, status: "queued" }) };
const LOST = { status: 0, error: "timeout" } as const;

it.each([
  ["shows the job", [OPEN], "deadline"],
  ["is left half a second, after one that shows the job", [OPEN, cutAfter(500)], "deadline"],
  ["is awaited for 10 s, after one that shows the job", [OPEN, cutAfter(10_000)], "http_error"],
  ["is left half a second, after one that is lost", [LOST, cutAfter(500)], "http_error"],
  ["alone is left half a second", [cutAfter(500)], "http_error"],
  ["is answered 503, after one that shows the job", [OPEN, { status: 503 }], "http_error"],
] as const)("a last poll that %s", (_, polls, outcome) => {
  const sent = polls.map((each, at) => {
    const { waitMs = 100, ...told } = { ...each } as Partial<Exchange> & { waitMs?: number };
    return poll(at * 60_000, { ...told, receivedAtMs: at * 60_000 + waitMs });
  });
  expect(outcomeOfDeadline(sent, JOB)).toBe(outcome);
});

function cutAfter(waitMs: number) {
  return { ...LOST, waitMs };
}
