/** Follows one job and its webhook from the submission to the end of the watch. */

import { jobIn } from "../../contract/decode/job.ts";
import type { Delivery, ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { deliveryUrl, longDeliveryUrl, queryDeliveryUrl } from "../../contract/jobs/delivery.ts";
import { boundsOf } from "../../contract/judges/timeout/bounds.ts";
import type { WebhookCase } from "../../contract/judges/webhook/case.ts";
import { isSuccessStep, STALL_LAGS } from "../../contract/judges/webhook/case.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { PromisedTimes } from "../../contract/run/run-plan.ts";
import { isTerminal } from "../../contract/states.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { follow, givenUpAtMs, isEnded, poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { deliveriesOf } from "../client/receiver.ts";
import { submit } from "../client/submit.ts";
import type { LagMeter } from "../host/lag.ts";
import { delayUntil } from "../world/world.ts";
import type { SharedTokens } from "./addresses.ts";
import { dealtTo, nextOf, tokenFor } from "./addresses.ts";
import type { CaseSpec } from "./cases.ts";
import type { DuePolls } from "./due-polls.ts";

/**
 * Ours: in stated time, when a job that was not delivered is first polled, and how long between
 * two polls. Polls use up the key's pace, which those of delivered jobs need.
 */
const FIRST_POLL_MS = 10_000;
const POLL_WAIT_MS = 5_000;
/** Ours: an ended job's webhook is waited for that long, in stated time. */
const DELIVERY_WAIT_MS = 25_000;
/** Ours: no sooner than one that is polled, and not delivered, would be given up. */
const UNPOLLED_MS = FIRST_POLL_MS + DELIVERY_WAIT_MS;
/** Ours: what is due at the end of a watch arrives a little later. */
const WATCH_MARGIN_MS = 250;
/** Ours: a last look at a cancelled job is answered before the scenario's time is over. */
const LAST_LOOK_MS = 1_000;
/** Ours: two retries may have been refused as well before the port was open. */
const REFUSED_WAIT_MS = 45_000;
/** Ours: a job that was delivered before it ended is followed for a minute of its clock. */
const EARLY_POLLS_MAX = 12;
/** Ours: in which a delivery or its answer may be on its way for want of a processor. */
const ON_THE_WAY_MS = 200;
/** Ours: a long poll of the receiver; it takes up to 30 s. */
const LONG_POLL_MS = 25_000;

/** Of an address; how long one may be is open. Spec §4.3, §7. */
const REFUSALS: readonly number[] = [400, 422];

export interface Watched {
  spec: CaseSpec;
  token: string;
  job: FollowedJob;
  /** When it is first polled, should it not be delivered before. */
  firstPollMs: number;
  /** When the port that refused it was open, at the latest. Left out: no port was opened. */
  openAtMs?: number;
  firstArrivedAtMs: number | null;
  /** When that was known: what was asked before proves nothing about it. */
  firstKnownAtMs: number;
  /** The poll at the end of the watch. */
  lastLook: Exchange | null;
}

/** Null where the budget has no room. */
export async function startCase(
  context: Context,
  access: ReceiverAccess,
  catalogue: Catalogue,
  { spec, shared }: { spec: CaseSpec; shared: SharedTokens },
): Promise<Watched | null> {
  const submission = submissionOf(context, catalogue, spec.part);
  if (submission === null) return null;
  const token = tokenFor(context, access, shared, spec);
  const base =
    spec.kind === "refused" ? (access.refusingUrl ?? access.publicUrl) : access.publicUrl;
  const sent = async (urlOf: typeof deliveryUrl) => {
    const webhook = urlOf(base, token, spec.script);
    return submit(context, { ...submission, control: { webhook } });
  };
  const usual = spec.inQuery ? queryDeliveryUrl : deliveryUrl;
  const first = await sent(spec.hasLongQuery ? longDeliveryUrl : usual);
  const isTooLong = spec.hasLongQuery && REFUSALS.includes(first?.submission.status ?? 0);
  const job = isTooLong ? await sent(usual) : first;
  if (job === null) return null;
  const firstKnownAtMs = Number.POSITIVE_INFINITY;
  const firstPollMs = firstPollIn(context, catalogue, spec);
  return { spec, token, job, firstPollMs, firstArrivedAtMs: null, firstKnownAtMs, lastLook: null };
}

/** One that nobody asks for has ended by then, and its webhook is due, if there is time for it. */
function firstPollIn(
  { plan, world, deadlineAtMs }: Context,
  { details }: Catalogue,
  { part, isUnpolled }: CaseSpec,
): number {
  const { times, workers } = plan;
  const limitSeconds = details.get(workers[part]?.id ?? "")?.detail?.timeoutSeconds;
  const endMs = part === "timeout" ? boundsOf(limitSeconds ?? Infinity, times).limitMs : 0;
  const firstMs = endMs + ownMs(times, UNPOLLED_MS);
  const isTooLate = world.now() + firstMs + ownMs(times, DELIVERY_WAIT_MS) > deadlineAtMs;
  return isUnpolled && !isTooLate ? firstMs : ownMs(times, FIRST_POLL_MS);
}

interface Waiting {
  context: Context;
  access: ReceiverAccess;
  duePolls: DuePolls;
}

/** Waits for the first delivery, polls the job then, and gives up when nothing can come. */
export async function awaitFirst(
  { context, access, duePolls }: Waiting,
  watched: Watched,
): Promise<void> {
  const { world } = context;
  const { job, spec } = watched;
  if (job.issuedId === null) return;
  const { times } = context.plan;
  const graceMs = ownMs(times, spec.kind === "refused" ? REFUSED_WAIT_MS : DELIVERY_WAIT_MS);
  let pollAtMs = world.now() + watched.firstPollMs;
  while (world.now() < context.deadlineAtMs) {
    const leftMs = Math.min(pollAtMs, context.deadlineAtMs) - world.now();
    const waitMs = Math.min(leftMs, LONG_POLL_MS);
    const [first] = await nextOf(context, access, watched, { after: 0, waitMs });
    if (first !== undefined) {
      watched.firstArrivedAtMs = first.arrivedAtMs;
      watched.firstKnownAtMs = world.now();
      const toMs = first.arrivedAtMs + spec.watchMs;
      if (spec.kind !== "refused")
        duePolls.plan(job, spec.script, { fromMs: first.arrivedAtMs, toMs });
      return pollAfterDelivery(context, watched);
    }
    if (world.now() < pollAtMs) continue;
    if (job.endSeenAtMs === null) await poll(context, job);
    if (world.now() > (job.endSeenAtMs === null ? givenUpAtMs(job) : job.endSeenAtMs + graceMs))
      return;
    pollAtMs = world.now() + ownMs(times, POLL_WAIT_MS);
  }
}

async function pollAfterDelivery(context: Context, watched: Watched): Promise<void> {
  await follow(context, watched.job, {
    untilMs: context.deadlineAtMs,
    waitMs: () => ownMs(context.plan.times, POLL_WAIT_MS),
    isEnough: (seen) => isEnded(seen) || pollsAfter(watched).length >= EARLY_POLLS_MAX,
  });
}

/** Those that were sent after the delivery: the answer to one before it may come after it. */
function pollsAfter({ job, firstKnownAtMs }: Watched): readonly Exchange[] {
  return job.polls.filter(({ sentAtMs }) => sentAtMs >= firstKnownAtMs);
}

/**
 * Resolves at the time when nothing more is expected of this job's webhook. Where the whole
 * schedule was watched, or the job was cancelled, it is polled once more: whatever became of its
 * webhook, it has ended as it has.
 */
export async function watchToEnd(
  context: Context,
  access: ReceiverAccess,
  watched: Watched,
): Promise<void> {
  const { world } = context;
  const { spec, firstArrivedAtMs } = watched;
  if (firstArrivedAtMs === null) return;
  const { webhookWaits } = context.plan.times;
  const untilMs = (fromMs: number, ms: number) =>
    Math.min(context.deadlineAtMs, fromMs + ms + WATCH_MARGIN_MS);
  let endsAtMs = untilMs(firstArrivedAtMs, spec.watchMs);
  while (spec.silenceMs !== null && world.now() < endsAtMs && !context.isGone) {
    const waitMs = Math.min(LONG_POLL_MS, endsAtMs - world.now());
    const after = webhookWaits.length;
    const [last] = await nextOf(context, access, watched, { after, waitMs });
    if (last === undefined) continue;
    endsAtMs = untilMs(last.arrivedAtMs, spec.silenceMs);
    break;
  }
  const isCancelled = wasCancelled(watched.job);
  const latestMs = context.deadlineAtMs - LAST_LOOK_MS;
  await delayUntil(world, isCancelled ? Math.min(endsAtMs, latestMs) : endsAtMs);
  const isWhole = spec.silenceMs !== null && watched.job.endSeenAtMs !== null;
  if (!(isWhole || isCancelled) || world.now() >= context.deadlineAtMs) return;
  await poll(context, watched.job);
  watched.lastLook = watched.job.polls.at(-1) ?? null;
}

function wasCancelled({ end, cancelRequests }: FollowedJob): boolean {
  return end?.state === "cancelled" && cancelRequests.length > 0;
}

/** Also of one that ran all the same: the answer may have called it cancelled. */
function tellsOfCancel(job: FollowedJob): boolean {
  return wasCancelled(job) || job.cancelRequests.some(isSuccess);
}

/** The case as the judges see it, with all deliveries until now. */
export async function closeCase(
  { context, access }: { context: Context; access: ReceiverAccess },
  watched: Watched,
  all: readonly Watched[],
  lag: LagMeter,
): Promise<WebhookCase> {
  // Before it is asked: what came while the answer was on its way is not in it.
  const watchedUntilMs = context.answeredUntilMs();
  const arrived = await deliveriesOf(context.world, access, watched.token, 0, 0);
  const deliveries = dealtTo(watched, all, arrived);
  const { job, spec, lastLook } = watched;
  const looks = pollsAfter(watched).filter((each) => each !== lastLook);
  const endPoll = job.polls.find((each) => isEnded(jobIn(each)));
  return {
    kind: spec.kind,
    part: spec.part,
    endSeen: isTerminal(job.end?.state) ? job.end.state : null,
    script: spec.script,
    isOtherFailing: spec.sharesAddress && !spec.script.some(isSuccessStep),
    submission: job.submission,
    jobId: job.issuedId,
    deliveries,
    looks,
    lastLook,
    ...(tellsOfCancel(job) ? { cancelRequests: job.cancelRequests } : {}),
    // Where the webhook came after all polls.
    ...(endPoll === undefined || looks.length > 0 ? {} : { endPoll }),
    endPolledAtMs: endPoll?.sentAtMs ?? null,
    endKnownAtMs: job.endSeenAtMs,
    watchedUntilMs,
    lagsMs: lagsOf(deliveries, lag, context.plan.times),
    ...refusalOf(watched, deliveries[0]?.arrivedAtMs ?? watchedUntilMs, lag),
  };
}

function refusalOf(
  { job, openAtMs }: Watched,
  arrivedAtMs: number,
  lag: LagMeter,
): Pick<WebhookCase, "refusal"> {
  if (openAtMs === undefined) return {};
  return { refusal: { openAtMs, lagMs: lateBy(lag, job.endSeenAtMs ?? arrivedAtMs, arrivedAtMs) } };
}

/** How late the machine may have made what was due then; where it comes late, by all stalls. */
function lateBy(lag: LagMeter, dueAtMs: number, arrivedAtMs: number): number {
  return Math.max(
    lag.felt(Math.min(dueAtMs, arrivedAtMs - ON_THE_WAY_MS), arrivedAtMs),
    lag.inAll(dueAtMs, arrivedAtMs) / STALL_LAGS,
  );
}

/** Of what happens between two deliveries only their own times matter, not the wait. */
function lagsOf(
  deliveries: readonly Delivery[],
  lag: LagMeter,
  { webhookWaits }: PromisedTimes,
): number[] {
  return deliveries.slice(1).map(({ arrivedAtMs }, index) => {
    const sent = deliveries[index];
    const sentAtMs = sent?.arrivedAtMs ?? arrivedAtMs;
    const overAtMs = sent?.answeredAtMs ?? sent?.hungUpAtMs ?? sentAtMs;
    const dueAtMs = sentAtMs + (webhookWaits[index]?.promisedMs ?? 0);
    return Math.max(
      lag.felt(sentAtMs - ON_THE_WAY_MS, overAtMs + ON_THE_WAY_MS),
      lateBy(lag, dueAtMs, arrivedAtMs),
    );
  });
}
