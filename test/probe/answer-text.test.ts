/** What is said of an answer: its status, a page in its place, a wait that it asks for. */

import { expect, it } from "vitest";
import { answerText } from "../../probe/answer-text.ts";
import { exchange } from "../contract/judges/job/fixtures.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const DATE = "Thu, 01 Jan 2026 12:00:00 GMT";
const PAGE = { body: "<!doctype html><title>Back soon</title>" };

it.each([
  [503, { "retry-after": "1800" }, "answered 503, asking for a wait of 30 min"],
  [503, { "retry-after": "1741" }, "answered 503, asking for a wait of 30 min"],
  [503, { date: DATE, "retry-after": "Thu, 01 Jan 2026 14:00:00 GMT" }, / 503, .* wait of 2 h$/],
  [503, { "retry-after": "59" }, "answered 503"],
  [503, { "retry-after": "soon" }, "answered 503"],
  [500, { "retry-after": "1800" }, "answered 500"],
])("of %s with %j", (status, headers, said) => {
  const answer = exchange({ status, headers, receivedAtMs: NOW_MS });
  expect(answerText(answer)).toEqual(expect.stringMatching(said));
  const page = answerText({ ...answer, ...PAGE });
  expect(page).toContain(`answered ${status} with a web page "Back soon"`);
});
