/** When nothing happens to a job of a load any more, so that a later one is later for sure. */

import { expect, it } from "vitest";
import type { AnswerStep } from "../../../contract/jobs/delivery.ts";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import { settledAtMs } from "../../../scenarios/soak/job-lists.ts";
import { arrived } from "../../receiver/arrived.ts";
import { planOf } from "../load/history.ts";

const told = (arrivedAtMs: number, answer: AnswerStep = ANSWER_OK) =>
  arrived({ arrivedAtMs, answer, attempt: 1, token: "t-1", body: "{}" });
const FAILING: AnswerStep = { kind: "status", status: 500, delayMs: 0 };

it.each([
  ["its end, where no webhook is asked for", 1_000, null, false, 1_000],
  ["its webhook, where a poll showed the end before that", 1_000, told(1_400), true, 1_400],
  ["its end, where a poll showed it after the webhook", 1_000, told(900), true, 1_000],
  ["no moment that is known, where the webhook has not come", 1_000, null, true, null],
  ["no moment that is known, where the webhook is retried", 1_000, told(900, FAILING), true, null],
  ["no moment that is known, where its end was not seen", null, told(900), true, null],
] as const)("a job has settled with %s", (_, endSeenAtMs, delivery, hears, settled) => {
  expect(settledAtMs({ endSeenAtMs, told: delivery }, planOf(1, 1, hears))).toBe(settled);
});
