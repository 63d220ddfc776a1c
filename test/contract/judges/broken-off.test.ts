/** Connections that are closed in place of an answer, each time. Spec §4.4, §7. */

import { describe, expect, it } from "vitest";
import { judgeEveryEndpoint } from "../../../contract/judges/auth.ts";
import type { StatusCase } from "../../../contract/judges/expected-status.ts";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { answer, asked } from "./answers.ts";

const closed = answer(0, { error: "reset" });
const silent = answer(0, { error: "timeout" });
const while200 = (...attempts: Parameters<typeof answer>[0][]): StatusCase => ({
  ...asked("an unknown job", ...attempts.map((status) => (status === 0 ? closed : answer(status)))),
  meanwhile: answer(200),
});
const thrice = while200(0, 0, 0);
const good = asked("a cancel of an unknown job", answer(404));

describe("a connection that is closed in place of a 404", () => {
  it.each([
    ["each time, while another endpoint answers", [thrice, thrice, good], "broken"],
    ["each time, as 5xx come in between", [while200(0, 500, 0), thrice, good], "broken"],
    ["for one odd request in three", [thrice, good, good], "kept"],
    ["twice alone", [while200(0, 0), while200(0, 0), good], "kept"],
    ["as that of another endpoint is", [{ ...thrice, meanwhile: closed }], "inconclusive"],
    ["as nobody else was asked", [asked("an unknown job", closed, closed, closed)], "inconclusive"],
    [
      "in silence",
      [{ ...asked("an unknown job", silent, silent, silent), meanwhile: answer(200) }],
      "inconclusive",
    ],
  ])("%s", (_name, cases, verdict) => {
    expect(judgeStatus("job.unknown", cases).verdict).toBe(verdict);
  });
});

it("a connection that is closed on who sends no key has let nobody in", () => {
  const refused = asked("/v1/me", answer(401));
  const { verdict, summary } = judgeEveryEndpoint([refused, thrice]);
  expect([verdict, summary]).toEqual(["inconclusive", expect.stringContaining("no response")]);
});
