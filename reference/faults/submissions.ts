/** What a submission brings: its job, the time of its answer, what is let pass or left behind. */

import type { BodyProblem } from "../catalogue/validation.ts";
import type { Worker } from "../catalogue/worker.ts";
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

/** Lets bodies of that problem pass, where worker and text are such; left out: all of them. */
export const letting =
  (problem: BodyProblem, when: (text: string, worker: Worker) => boolean = () => true) =>
  (): Partial<Hooks> => ({
    bodyProblem: (given, worker, { body }) =>
      given === problem && when(body, worker) ? null : given,
  });

/** Lets bodies pass that have such a field; what is no object has none. */
export const lettingField = (
  is: (value: unknown, name: string) => boolean,
  problem: BodyProblem = "schema-violation",
) =>
  letting(problem, (text) =>
    Object.entries(JSON.parse(text) as object).some(([name, value]) => is(value, name)),
  );
