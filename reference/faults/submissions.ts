/** What a submission brings: its job, the time that its answer takes, what a refusal leaves. */

import type { Hooks, RefusedSubmission } from "../hooks.ts";
import type { Reason } from "../http.ts";
import type { Job } from "../jobs/job.ts";

/** Sees each job as it is made. */
export const onSubmitted = (see: (job: Job) => void): Pick<Hooks, "queueMs"> => ({
  queueMs(waitMs, job) {
    see(job);
    return waitMs;
  },
});

/** Holds back the answer to a submission, for so many real milliseconds by its job. */
export const answeredAfter = (extraMs: (job: Job) => number): Pick<Hooks, "delayMs"> => ({
  delayMs: (delayMs, { reason, job }) =>
    reason === "accepted" && job !== null ? delayMs + extraMs(job) : delayMs,
});

/** What is left by a submission that is refused for one of these reasons. */
export const onRefused = (
  reasons: readonly Reason[],
  leave: (submission: RefusedSubmission) => void,
): Pick<Hooks, "refused"> => ({
  refused(nothing, submission) {
    if (reasons.includes(submission.reason)) leave(submission);
    return nothing;
  },
});
