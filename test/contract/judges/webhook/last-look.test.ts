/** A job is what it is, whatever became of its webhook: it is polled once more after the watch. */

import { describe, expect, it } from "vitest";
import { judgeCancelsSeen } from "../../../../contract/judges/cancel/cancels-seen.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { jobsInPassing } from "../../../../contract/judges/passing.ts";
import type { WebhookCase } from "../../../../contract/judges/webhook/case.ts";
import { historyOf } from "../../../../contract/judges/webhook/case.ts";
import { judgeWebhooks } from "../../../../contract/judges/webhook/index.ts";
import { findingOf, promisesWith } from "../../findings.ts";
import { caseOf, FIRST_AT, pollAt, runWith } from "./healthy-run.ts";

const LATER = { sentAtMs: FIRST_AT + 650_000, receivedAtMs: FIRST_AT + 650_005 };
const FIRST_LOOK = { sentAtMs: FIRST_AT + 10, receivedAtMs: FIRST_AT + 15 };
const CANCEL = { id: "", state: "queued", endedMs: 0 };
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

describe("a job that was cancelled", () => {
  const cancelRequests = [pollAt(CANCEL, { sentAtMs: FIRST_AT - 500, receivedAtMs: FIRST_AT })];
  const verdictOf = (state: string) => {
    const each = caseEnding(state);
    const looks = [
      pollAt({ id: each.jobId ?? "", state: "cancelled", endedMs: 1_000 }, FIRST_LOOK),
    ];
    const history = historyOf({ ...each, looks, cancelRequests });
    const findings = judgeCancelsSeen(readHistories([history]), []);
    return findingOf(findings, "cancel.queued").verdict;
  };

  it("breaks cancel.queued where it runs after all", () => {
    expect(verdictOf("running")).toBe("broken");
    expect(verdictOf("completed")).toBe("broken");
  });

  it("breaks nothing where it stays cancelled", () => {
    expect(verdictOf("cancelled")).toBe("kept");
  });
});

it("is held against no delivery, which told of the end as it was", () => {
  const run = runWith({ ladder: () => [caseEnding("failed")] });
  expect(findingOf(judgeWebhooks(run), "webhook.truthful").verdict).toBe("kept");
});
