/** Follows one job and its webhook from the submission to the end of the watch. */

import type { Delivery, ReceiverAccess } from "../../contract/delivery.ts";
import { deliveryUrl } from "../../contract/delivery.ts";
import type { EndState } from "../../contract/job-history.ts";
import type { WebhookCase } from "../../contract/judges/webhook/case.ts";
import { isTerminal } from "../../contract/states.ts";
import { cancelCall, cancelCandidates } from "../contract/cancel-request.ts";
import type { Catalogue } from "../contract/catalogue.ts";
import { submissionOf } from "../contract/catalogue.ts";
import type { Context } from "../contract/context.ts";
import type { FollowedJob } from "../contract/followed-job.ts";
import { poll, submit } from "../contract/jobs.ts";
import { delay, delayUntil, now } from "../lib/clock.ts";
import { deliveriesOf, openRefusing } from "../lib/receiver.ts";
import type { CaseSpec } from "./cases.ts";

/** Ours: between two looks at a job that is not delivered yet, on its clock and on ours. */
const LOOK_WAIT_MS = 5_000;
const LOOK_WAIT_MIN_MS = 250;
/** Ours: an ended job's webhook is waited for that long. */
const DELIVERY_WAIT_MS = 25_000;
const DELIVERY_WAIT_MIN_MS = 2_000;
/** Ours: the refusing port opens after the first attempt, and before the first retry. */
const REFUSED_FOR_MS = 1_500;
const REFUSED_FOR_MIN_MS = 25;
/** Ours: looks at a job that was delivered before it ended. */
const EARLY_LOOKS_MAX = 4;

export interface Watched {
  spec: CaseSpec;
  token: string;
  job: FollowedJob;
  firstArrivedAtMs: number | null;
}

export async function startCase(
  context: Context,
  access: ReceiverAccess,
  catalogue: Catalogue,
  spec: CaseSpec,
): Promise<Watched | null> {
  const submission = submissionOf(context, catalogue, spec.part);
  if (submission === null) return null;
  const token = context.random.token(24);
  const base =
    spec.kind === "refused" ? (access.refusingUrl ?? access.publicUrl) : access.publicUrl;
  const webhook = deliveryUrl(base, token, spec.script);
  const job = await submit(context, { ...submission, control: { webhook } });
  if (job === null) return null;
  if (spec.cancel && job.issuedId !== null) await cancelAtOnce(context, job);
  return { spec, token, job, firstArrivedAtMs: null };
}

async function cancelAtOnce(context: Context, job: FollowedJob): Promise<void> {
  const request = cancelCandidates(context.plan)[0];
  if (request === undefined) return;
  const call = cancelCall(request, job.issuedId ?? "", context.caller);
  job.cancelRequests.push(await context.ask(call));
}

/** Waits for the first delivery, looks at the job then, and gives up when nothing can come. */
export async function awaitFirst(
  context: Context,
  access: ReceiverAccess,
  watched: Watched,
): Promise<void> {
  const { job, spec, token } = watched;
  if (job.issuedId === null) return;
  const scale = context.plan.timeScale;
  const lookMs = Math.max(LOOK_WAIT_MIN_MS, LOOK_WAIT_MS * scale);
  const graceMs = Math.max(DELIVERY_WAIT_MIN_MS, DELIVERY_WAIT_MS * scale);
  const giveUpAtMs = job.submission.receivedAtMs + job.deadlineMs;
  if (spec.kind === "refused") await openAfterEnd(context, access, job, lookMs);
  while (now() < context.deadlineAtMs) {
    const waitMs = Math.min(lookMs, context.deadlineAtMs - now());
    const [first] = await deliveriesOf(access, token, 0, waitMs);
    if (first !== undefined) {
      watched.firstArrivedAtMs = first.arrivedAtMs;
      return lookAfterDelivery(context, job);
    }
    if (job.endSeenAtMs === null) await poll(context, job);
    if (now() > (job.endSeenAtMs === null ? giveUpAtMs : job.endSeenAtMs + graceMs)) return;
  }
}

async function openAfterEnd(
  context: Context,
  access: ReceiverAccess,
  job: FollowedJob,
  lookMs: number,
): Promise<void> {
  while (job.endSeenAtMs === null && now() < context.deadlineAtMs) {
    await poll(context, job);
    if (job.endSeenAtMs === null) await delay(Math.min(lookMs, LOOK_WAIT_MIN_MS) / 10);
  }
  await delay(Math.max(REFUSED_FOR_MIN_MS, REFUSED_FOR_MS * context.plan.timeScale));
  await openRefusing(access);
}

/** What was seen before the delivery proves nothing about it: only later looks are kept. */
async function lookAfterDelivery(context: Context, job: FollowedJob): Promise<void> {
  job.polls.length = 0;
  for (let look = 0; look < EARLY_LOOKS_MAX; look += 1) {
    const seen = await poll(context, job);
    if (seen?.state != null && isTerminal(seen.state)) return;
  }
}

/** When nothing more is expected of this job's webhook. */
export function watchEndsAtMs(context: Context, { spec, firstArrivedAtMs }: Watched): number {
  if (firstArrivedAtMs === null) return now();
  return firstArrivedAtMs + spec.watchMs * context.plan.timeScale + LOOK_WAIT_MIN_MS;
}

/** The case as the judges see it, with all deliveries until now. */
export async function closeCase(
  access: ReceiverAccess,
  watched: Watched,
  endsAtMs: number,
): Promise<WebhookCase> {
  await delayUntil(endsAtMs);
  const deliveries: readonly Delivery[] = await deliveriesOf(access, watched.token, 0, 0);
  const { job, spec } = watched;
  return {
    kind: spec.kind,
    part: spec.part,
    expected: endOf(job),
    script: spec.script,
    submission: job.submission,
    jobId: job.issuedId,
    deliveries,
    looks: watched.firstArrivedAtMs === null ? [] : job.polls,
    endKnownAtMs: job.endSeenAtMs,
    watchedUntilMs: now(),
  };
}

/** How it did end where that was seen; a cancel may come too late. */
function endOf(job: FollowedJob): EndState {
  const state = job.end?.state;
  if (state === "completed" || state === "failed" || state === "timeout" || state === "cancelled") {
    return state;
  }
  return job.expected ?? "completed";
}
