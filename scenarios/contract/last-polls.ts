/** Last steps: jobs that do not exist, and another poll of those that do. Spec §2.4, §2.5, §3. */

import type { StatusCase } from "../../contract/judges/expected-status.ts";
import { JOB_PROMISES } from "../../contract/judges/job.ts";
import { ACCEPTED_PROMISES } from "../../contract/judges/submit.ts";
import type { Observation } from "../../contract/run/observation.ts";
import { cancelCall, cancelCandidates } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { unknownJobIds } from "../client/inputs/made-up.ts";
import { pollCosts, pollEndedJobs } from "./ended-jobs.ts";
import { pollOpenJobs, pollRest } from "./open-jobs.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

export const unknownJobStep: Step = {
  name: "job: jobs that do not exist",
  promises: ["job.unknown"],
  async run(context) {
    const { caller: key, random } = context;
    if (key === null) return nothing("the plan names no active key", ["job.unknown"]);
    const ids = unknownJobIds(random, [...context.ownIds]);
    const value = await Promise.all([
      ...ids.map(async ({ id: parameter, what, lawful }) => {
        const asked = await context.askAgain({ method: "GET", route: "job", parameter, key });
        return { what, lawful, ...asked };
      }),
      ...ids.slice(0, 1).flatMap(({ id }) => cancelOf(context, id) ?? []),
    ]);
    return [{ kind: "contract.unknown-jobs", value }];
  },
};

/** How a cancel is answered is open, where it is no error of the service itself. Spec §4.6. */
const CANCEL_ANSWERS = [200, 202, 204, 400, 403, 405, 409, 410, 422, 501];

function cancelOf(context: Context, id: string): Promise<StatusCase> | null {
  const [request, ...others] = cancelCandidates(context.plan);
  if (request === undefined || others.length > 0) return null;
  const asking = context.askAgain(cancelCall(request, id, context.caller));
  return asking.then((asked) => ({
    what: "a cancel of an unknown job",
    lawful: CANCEL_ANSWERS,
    ...asked,
  }));
}

/** What an old end may break, that a poll soon after it does not. */
const ENDS = ["job.never-lost", "job.terminal-final"] as const;

/** What a cost that is told late may break. */
const COSTS = ["job.shape", "job.cost", "job.terminal-final"] as const;

const OF_JOBS = [...ACCEPTED_PROMISES, ...JOB_PROMISES];

export const lastPollsStep: Step = {
  name: "job: last checks",
  promises: OF_JOBS,
  async run(context, catalogue) {
    if (context.asks("job.never-lost")) {
      await pollRest(context);
      await pollOpenJobs(context, catalogue);
    }
    if (context.asks(...COSTS)) await pollCosts(context);
    if (context.asks(...ENDS)) await pollEndedJobs(context);
    if (context.jobs.length > 0) return [];
    const [failure] = context.failures;
    if (failure === undefined) return nothing(noJobsReason(context), OF_JOBS);
    return [{ kind: "failure", value: { reason: failure, promises: OF_JOBS } }];
  },
};

/** All jobs as they were seen by now; some may be polled further. */
export function jobsSeen({ jobs }: Context): readonly Observation[] {
  return jobs.map(({ end: _end, endSeenAtMs: _seen, polls, ...job }) => ({
    kind: "contract.job",
    value: { ...job, polls: [...polls] },
  }));
}

function noJobsReason(context: Context): string {
  if (context.caller === null) return "the plan names no active key";
  if (context.spending.exhausted()) return context.spending.whyNot("the budget allows no job");
  return "the plan names no worker that jobs can be submitted to";
}
