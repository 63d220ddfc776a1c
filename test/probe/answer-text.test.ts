/** What is said of an answer: its status, a page in its place, a wait that it asks for. */

import { expect, it } from "vitest";
import { answerText } from "../../probe/answer-text.ts";
import { exchange } from "../contract/judges/job/fixtures.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const DATE = "Thu, 01 Jan 2026 12:00:00 GMT";
const PAGE = { body: "<!doctype html><title>Back soon</title>" };

it.each([
  ["was refused at once", 30, "no response (refused)"],
  ["was taken by nobody", 5_000, "no response (no connection within seconds)"],
])("of a connection that %s", (_, tookMs, said) => {
  const lost = exchange({ status: 0, error: "refused", receivedAtMs: NOW_MS });
  expect(answerText({ ...lost, sentAtMs: NOW_MS - tookMs })).toBe(said);
});

it.each([
  [503, { "retry-after": "1800" }, "answered 503, maintenance announced until 12:30 UTC"],
  [503, { "retry-after": "1787" }, "answered 503, maintenance announced until 12:30 UTC"],
  [503, { date: DATE, "retry-after": "Thu, 01 Jan 2026 14:00:00 GMT" }, / announced until 14:00 /],
  [503, { "retry-after": "172800" }, / announced until 2026-01-03 12:00 UTC$/],
  [503, { "retry-after": "90" }, "answered 503, asking for a wait of 2 min"],
  [503, { "retry-after": "59" }, "answered 503"],
  [503, { "retry-after": "soon" }, "answered 503"],
  [500, { "retry-after": "1800" }, "answered 500"],
])("of %s with %j", (status, headers, said) => {
  const answer = exchange({ status, headers, receivedAtMs: NOW_MS });
  expect(answerText(answer)).toEqual(expect.stringMatching(said));
  const page = answerText({ ...answer, ...PAGE });
  expect(page).toContain(`answered ${status} with a web page "Back soon"`);
});

it.each([
  ['{"jobs":[{"job_id"', "answered 200 with JSON that breaks off or is invalid"],
  ["", "answered 200 with an empty body"],
  ["ok", "answered 200 with no JSON"],
  ['{"jobs":[]}', "answered 200"],
])("of a success whose body is %j", (body, said) => {
  expect(answerText(exchange({ status: 200, body }))).toBe(said);
});
