/** A job is what it is, whatever became of its webhook: it is polled once more after the watch. */

import { expect, it } from "vitest";
import { jobsInPassing } from "../../../../contract/judges/passing.ts";
import type { WebhookCase } from "../../../../contract/judges/webhook/case.ts";
import { historyOf } from "../../../../contract/judges/webhook/case.ts";
import { judgeWebhooks } from "../../../../contract/judges/webhook/index.ts";
import { findingOf, promisesWith } from "../../findings.ts";
import { caseOf, FIRST_AT, pollAt, runWith } from "./healthy-run.ts";

const LATER = { sentAtMs: FIRST_AT + 650_000, receivedAtMs: FIRST_AT + 650_005 };
const ATTEMPTS_MS = [0, 5_002, 35_004, 335_006];

function caseEnding(state: string) {
  const each = caseOf("ladder", ATTEMPTS_MS);
  const lastLook = pollAt({ id: each.jobId ?? "", state, endedMs: 1_000 }, LATER);
  return { ...each, lastLook };
}

/** Whether the job is said to have changed; what its fixture lacks beside is another thing. */
function changes(each: WebhookCase): boolean {
  const findings = jobsInPassing([historyOf(each)], "with a webhook");
  return promisesWith(findings, "broken").includes("job.terminal-final");
}

it("breaks job.terminal-final where the job has failed for want of a delivery", () => {
  expect(changes(caseEnding("failed"))).toBe(true);
});

it("breaks nothing where the job has stayed as it was, or was not polled again", () => {
  expect(changes(caseEnding("completed"))).toBe(false);
  expect(changes({ ...caseEnding("failed"), lastLook: null })).toBe(false);
});

it("is held against no delivery, which told of the end as it was", () => {
  const run = runWith({ ladder: () => [caseEnding("failed")] });
  expect(findingOf(judgeWebhooks(run), "webhook.truthful").verdict).toBe("kept");
});
