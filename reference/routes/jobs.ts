/** Endpoints of submitted jobs: one, the latest, and the end of a queued one. Spec §4.4-§4.6. */

import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { Reply } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import { type Api, type Call, type Endpoint, refuse, serve } from "./api.ts";

export const getJob: Endpoint = (api, call) => {
  const job = readableJob(api, call);
  if (job === null) return unknownJob(api, call);
  api.engine.polled(job);
  return about(job, serve(api.renderer.full(job)));
};

export const listJobs: Endpoint = (api, { account, key }) => {
  const { jobsShape, jobsEntries, jobsOrder, listOf } = api.options.choices;
  const all = api.store.recent(account);
  const recent = listOf === "account" ? all : all.filter(({ keyName }) => keyName === key.name);
  const latest = recent.slice(-LISTED_JOBS_MAX).reverse();
  const jobs = api.hooks().listed(latest, recent, () => api.store.strangers(account));
  const ordered = jobsOrder === "newest-first" ? jobs : jobs.toReversed();
  const entry = (job: Job) =>
    jobsEntries === "full" ? api.renderer.full(job) : api.renderer.summary(job);
  const entries = ordered.map(entry);
  switch (jobsShape) {
    case "array":
      return serve(entries);
    case "nested":
      return serve({ data: { jobs: entries } });
    case "by-state":
      return serve(Object.groupBy(entries, ({ status }) => String(status).toLowerCase()));
    case "by-id":
      return serve({
        jobs: Object.fromEntries(entries.map((each, at) => [ordered[at]?.id, each])),
      });
    case "edges":
      return serve({ edges: entries.map((node, cursor) => ({ cursor: `${cursor}`, node })) });
    case "names":
      return serve({ jobs: ordered.map((job) => resource(api, job)), nextPageToken: "" });
    case "facets":
      return serve({ jobs: entries, workers: api.workers.map(({ id }) => ({ id, jobs: 0 })) });
    default:
      return serve({ [jobsShape]: entries });
  }
};

/** As services that are called by gRPC as well name what they have. AIP-122, AIP-142 */
function resource(api: Api, job: Job): object {
  const [name, worker] = [`accounts/${job.account.id}/jobs/${job.id}`, `workers/${job.worker.id}`];
  const state = `JOB_STATE_${job.state.toUpperCase()}`;
  return { name, worker, state, createTime: api.renderer.time(job.submittedAtMs) };
}

export const cancelJob: Endpoint = (api, call) => {
  const job = ownJob(api, call);
  if (job === null) return unknownJob(api, call);
  const wanted = CANCEL_BODIES[api.options.choices.cancelBody];
  if (wanted !== null && !wanted.test(call.request.body)) {
    return refuse(api, "malformed", "the body does not ask for a cancel");
  }
  return about(
    job,
    api.engine.cancel(job) === "cancelled" ? cancelled(api, job) : tooLate(api, job),
  );
};

/** A method that a job's path does not have, where that is answered otherwise than by 404. */
export const otherJobMethod: Endpoint = (api, { request }) => {
  const message = `a job has no ${request.method}`;
  const [answer, context] = refuse(api, "unknown-route", message);
  return [{ ...answer, status: Number(api.options.choices.otherMethod) }, context];
};

/** What a cancel request's body has to say; both spellings of the state are understood. */
const CANCEL_BODIES = {
  none: null,
  status: /"status"\s*:\s*"cancell?ed"/i,
  action: /"action"\s*:\s*"cancel"/i,
} as const;

function cancelled(api: Api, job: Job): Reply {
  const reply = (status: number, body: unknown): Reply => [
    { status, headers: {}, body },
    { reason: "cancelled", worker: job.worker, job },
  ];
  switch (api.options.choices.cancelAnswer) {
    case "job":
      return reply(200, api.renderer.full(job));
    case "message":
      return reply(202, { message: "the job is cancelled", job_uuid: job.id });
    case "empty":
      return reply(204, undefined);
  }
}

function tooLate(api: Api, job: Job): Reply {
  const message = `a job that is ${api.renderer.status(job)} can't be cancelled`;
  const [answer, context] = refuse(api, "cancel-refused", message);
  return [{ ...answer, status: Number(api.options.choices.cancelRefusal) }, context];
}

/** Whose job it is, or for whoever has a key. */
function readableJob(api: Api, call: Call): Job | null {
  if (api.options.choices.jobReaders === "account") return ownJob(api, call);
  return visibleJob(api, api.store.findAnywhere(call.request.parameter));
}

function ownJob(api: Api, { request, account }: Call): Job | null {
  return visibleJob(api, api.store.find(request.parameter, account));
}

function visibleJob(api: Api, job: Job | null): Job | null {
  return job !== null && api.hooks().visible(true, job) ? job : null;
}

function unknownJob(api: Api, { request }: Call): Reply {
  return refuse(api, "unknown-job", `there is no job "${request.parameter}"`);
}

function about(job: Job, [answer, context]: Reply): Reply {
  return [answer, { ...context, job, worker: job.worker }];
}
