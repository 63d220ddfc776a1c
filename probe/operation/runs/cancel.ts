/** Cancels the job of a canary that is to be cancelled, and tells what became of that. */

import { jobIn } from "../../../contract/decode/job.ts";
import type { CancelTrial } from "../../../contract/judges/cancel/cancel-trial.ts";
import { isBefore, isSuccess } from "../../../contract/requests/exchange.ts";
import { isWaiting } from "../../../contract/states.ts";
import { answerText, isPageInFront } from "../../answer-text.ts";
import type { Outcome } from "../../outcome.ts";
import { refusal } from "../../outcome.ts";
import type { Parts, Run } from "./run.ts";
import { deadlineAtMs } from "./run.ts";

/** Asks at once, as only a job that still waits can be cancelled. Spec §3.2, §4.6. */
export async function requestCancel({ client, clock, target }: Parts, run: Run): Promise<void> {
  const plan = target.cancel;
  if (run.intent.expected !== "cancelled" || plan === null || plan.method === "auto") return;
  if (run.jobId === null || run.resumed) return;
  run.cancel = await client.sendNow({
    route: "job",
    parameter: run.jobId,
    runId: run.intent.runId,
    method: plan.method,
    timeoutMs: deadlineAtMs(run) - clock.nowMs(),
    ...(plan.body === null ? {} : { body: plan.body }),
  });
}

/**
 * What the judge of cancel.queued reads; null when nothing was asked, or the service did not say
 * that it cancels.
 */
export function cancelTrialOf({ jobId, submission, cancel, polls }: Run): CancelTrial | null {
  if (jobId === null || submission === null || cancel === null || !isSuccess(cancel)) return null;
  if (isPageInFront(cancel)) return null;
  const after = polls.filter((poll) => isBefore(cancel, poll) && !isPageInFront(poll));
  return { jobId, submission, before: submission, cancel, after };
}

/** Why a job that was to be cancelled ended otherwise. */
export function outcomeOfUncancelled({ cancel, polls }: Run): { outcome: Outcome; why: string } {
  if (cancel === null) return { outcome: "probe_error", why: "nothing was sent to cancel the job" };
  const first = polls.find((poll) => isBefore(cancel, poll));
  // Only a job that still waited after the answer shows that the service owed the cancellation.
  const owed = isWaiting(jobIn(first)?.state);
  const isInFront = isPageInFront(cancel);
  if (owed && isSuccess(cancel) && !isInFront) {
    return { outcome: "wrong_state", why: `the cancel request was answered ${cancel.status}` };
  }
  const answer = refusal(cancel);
  const why = `the cancel request: ${answerText(cancel)}`;
  const isFailed = isInFront || cancel.status >= 500 || cancel.error !== null;
  if (answer !== "http_error" || isFailed) {
    return { outcome: answer, why };
  }
  if (owed) return { outcome: "wrong_state", why };
  return { outcome: "probe_error", why: "the job began to run before it could be cancelled" };
}
