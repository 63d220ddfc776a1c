/** One request to cancel a job, and the polls before and after it. */

import type { Job } from "../../contract/decode/job-types.ts";
import type { CancelTrial } from "../../contract/judges/cancel/cancel-trial.ts";
import { isOtherMethod } from "../../contract/judges/cancel/index.ts";
import { PERSISTENT_ATTEMPTS } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isBefore } from "../../contract/requests/exchange.ts";
import { isWaiting } from "../../contract/states.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import { cancelCall } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { follow, followToEnd, poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { UNKNOWN_MS_MAX } from "../client/followed/followed-job.ts";

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
  const before = job.polls.findLast((poll) => isBefore(poll, cancel));
  if (before === undefined) return null;
  const after = job.polls.filter((poll) => isBefore(cancel, poll));
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

/** Ours: how soon a cancel that was answered 404 or 5xx is sent again, at first and later. */
const AGAIN_AFTER_MS = 300;
const AGAIN_AFTER_MS_MAX = 1_200;

/**
 * Of a job that was seen. A 404 is an answer only once the job must be known everywhere, and a 5xx
 * once it came again: until then the cancel is sent again, as long as the job waits.
 */
export async function sendCancelOfKnown(
  context: Context,
  job: FollowedJob,
  request: CancelRequest,
): Promise<Exchange> {
  const { world } = context;
  const knownByMs = job.submission.receivedAtMs + UNKNOWN_MS_MAX;
  let waitMs = AGAIN_AFTER_MS;
  for (let failed = 0; ; ) {
    const cancel = await sendCancel(context, job, request);
    const hasFailed = cancel.status >= 500 && !isOtherMethod(cancel);
    failed += Number(hasFailed);
    const isUnknown = cancel.status === 404 && world.now() <= knownByMs;
    if (!isUnknown && !(hasFailed && failed < PERSISTENT_ATTEMPTS)) return cancel;
    await world.delay(waitMs);
    const seen = await poll(context, job);
    if (seen !== null && !isWaiting(seen.state)) return cancel;
    waitMs = Math.min(2 * waitMs, AGAIN_AFTER_MS_MAX);
  }
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
