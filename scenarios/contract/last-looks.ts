/** Last steps: jobs that do not exist, and another look at those that do. Spec §2.4, §2.5, §3. */

import { JOB_PROMISES } from "../../contract/judges/job.ts";
import { ACCEPTED_PROMISES } from "../../contract/judges/submit.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Context } from "../client/context.ts";
import { madeUpJobId } from "../client/made-up.ts";
import { lookAtCosts, lookAtEndedJobs } from "./ended-jobs.ts";
import { lookAtOpenJobs } from "./open-jobs.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

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
    const value = context.caller === null ? [] : lookups;
    return [{ kind: "contract.unknown-jobs", value }];
  },
};

/** What an old end may break, that a look soon after it does not. */
const ENDS = ["job.never-lost", "job.terminal-final"] as const;

/** What a cost that is told late may break. */
const COSTS = ["job.shape", "job.cost"] as const;

const OF_JOBS = [...ACCEPTED_PROMISES, ...JOB_PROMISES];

export const lastLooksStep: Step = {
  name: "job: last looks",
  promises: OF_JOBS,
  async run(context, catalogue) {
    if (context.asks("job.never-lost")) await lookAtOpenJobs(context, catalogue);
    if (context.asks(...COSTS)) await lookAtCosts(context);
    if (context.asks(...ENDS)) await lookAtEndedJobs(context);
    if (context.jobs.length > 0) return [];
    const [failure] = context.failures;
    if (failure === undefined) return nothing(noJobsReason(context), OF_JOBS);
    return [{ kind: "failure", value: { reason: failure, promises: OF_JOBS } }];
  },
};

/** All jobs as they were seen by now; some may be looked at further. */
export function jobsSeen({ jobs }: Context): readonly Observation[] {
  return jobs.map(({ end: _end, endSeenAtMs: _seen, polls, ...job }) => ({
    kind: "contract.job",
    value: { ...job, polls: [...polls] },
  }));
}

function noJobsReason(context: Context): string {
  if (context.caller === null) return "the plan names no active key";
  if (context.spending.exhausted()) return "the budget has no room for a job";
  return "the plan names no worker that jobs can be submitted to";
}
