/** One request to cancel a job, and the polls before and after it. */

import type { Job } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { CancelTrial } from "../../contract/judges/cancel.ts";
import { VIEW_LAG_MS } from "../../contract/judges/job/reading.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import { cancelCall } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, poll } from "../client/follow.ts";
import type { FollowedJob } from "../client/followed-job.ts";

/** Ours: longer than a service's parts differ for, and how often it is asked meanwhile. */
const FOUND_WITHIN_MS = 2_000;
const FOUND_POLL_MS = 100;

/** An identifier may be known everywhere only some time after it was issued. */
export async function pollUntilFound(context: Context, job: FollowedJob): Promise<Job | null> {
  return await follow(context, job, {
    untilMs: context.world.now() + FOUND_WITHIN_MS,
    waitMs: () => FOUND_POLL_MS,
    isEnough: (seen) => seen !== null,
  });
}

/** null where the job was never polled before the request. */
export function trialOf(job: FollowedJob, cancel: Exchange): CancelTrial | null {
  const before = job.polls.filter(({ receivedAtMs }) => receivedAtMs <= cancel.sentAtMs).at(-1);
  if (before === undefined) return null;
  const after = job.polls.filter(({ sentAtMs }) => sentAtMs >= cancel.receivedAtMs);
  return { jobId: job.issuedId ?? "", submission: job.submission, before, cancel, after };
}

export async function sendCancel(
  context: Context,
  job: FollowedJob,
  request: CancelRequest,
): Promise<Exchange> {
  const cancel = await context.ask(cancelCall(request, job.issuedId ?? "", context.caller));
  job.cancelRequests.push(cancel);
  return cancel;
}

/** Ours: how soon a cancel is sent again to a service that does not know the job everywhere yet. */
const UNKNOWN_WAIT_MS = 300;

/** Of a job that is there: a 404 is taken for an answer once no view may lag any more. */
export async function sendCancelOfKnown(
  context: Context,
  job: FollowedJob,
  request: CancelRequest,
): Promise<Exchange> {
  const lagsUntilMs = job.submission.receivedAtMs + VIEW_LAG_MS;
  let cancel = await sendCancel(context, job, request);
  while (cancel.status === 404 && context.world.now() <= lagsUntilMs) {
    await context.world.delay(UNKNOWN_WAIT_MS);
    cancel = await sendCancel(context, job, request);
  }
  return cancel;
}

/** Until the job would have run: those that were before it in the queue have ended by then. */
export async function watchToEnd(
  context: Context,
  job: FollowedJob,
  jobs: readonly FollowedJob[],
): Promise<void> {
  const before = jobs.filter((each) => each !== job && each.cancelRequests.length === 0).at(-1);
  const startedMs = context.world.now();
  await Promise.all([
    before === undefined ? undefined : followToEnd(context, before),
    followToEnd(context, job),
  ]);
  const runMs = before?.end?.durationMs ?? context.world.now() - startedMs;
  await poll(context, job);
  await context.world.delay(Math.min(runMs, context.deadlineAtMs - context.world.now()));
  await poll(context, job);
}
