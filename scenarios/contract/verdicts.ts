/** Last step: judges all submissions and lives that the other steps saw. Spec §2.4, §2.5, §3. */

import { JOB_PROMISES, judgeJobs, judgeUnknownJobs } from "../../contract/judges/job.ts";
import { ACCEPTED_PROMISES, judgeAccepted } from "../../contract/judges/submit.ts";
import { inconclusive, unobserved } from "../../contract/verdict.ts";
import type { Context } from "../client/context.ts";
import { lookAtEndedJobs } from "./ended-jobs.ts";
import { madeUpJobId } from "./made-up.ts";
import { lookAtOpenJobs } from "./open-jobs.ts";
import type { Step } from "./step.ts";

export const unknownJobStep: Step = {
  name: "job: jobs that do not exist",
  promises: ["job.unknown"],
  async run(context) {
    const [issued] = context.ownIds;
    const ids = [0, 1, 2].map(() => madeUpJobId(context.random, issued ?? null));
    const lookups = await Promise.all(
      ids.map((parameter) =>
        context.ask({ method: "GET", route: "job", parameter, key: context.caller }),
      ),
    );
    return [judgeUnknownJobs(context.caller === null ? [] : lookups)];
  },
};

/** What an old end may break, that a look soon after it does not. */
const ENDS = ["job.never-lost", "job.terminal-final"] as const;

export const judgementStep: Step = {
  name: "job: judging what was seen",
  promises: [...ACCEPTED_PROMISES, ...JOB_PROMISES],
  async run(context, catalogue) {
    if (context.asks("job.never-lost")) await lookAtOpenJobs(context, catalogue);
    if (context.asks(...ENDS)) await lookAtEndedJobs(context);
    const findings = [...judgeAccepted(context.jobs), ...judgeJobs(context.jobs)];
    if (context.jobs.length > 0) return findings;
    const [failure] = context.failures;
    return findings.map((finding) =>
      failure === undefined
        ? unobserved(finding.promise, noJobsReason(context))
        : inconclusive(finding.promise, failure),
    );
  },
};

function noJobsReason(context: Context): string {
  if (context.caller === null) return "the plan names no active key";
  if (context.spending.exhausted()) return "the budget has no room for a job";
  return "the plan names no worker that jobs can be submitted to";
}
