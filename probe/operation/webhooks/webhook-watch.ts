/** Watches for a job's webhook after its end is known: how late, how often, and what it says. */

import { isObject } from "../../../contract/decode/decoded.ts";
import { decodeJob } from "../../../contract/decode/job.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import { isUnchecked, isVouched } from "../../../contract/jobs/delivery.ts";
import { bodyOf } from "../../../contract/judges/webhook/attempts.ts";
import { parseStatus } from "../../../contract/states.ts";
import type { Target } from "../../../contract/target.ts";
import { promisedTimes } from "../../../contract/time/promised-times.ts";
import { parseTimestamp } from "../../../contract/time/timestamps.ts";
import { difference } from "../../../contract/timeline/interval.ts";
import { NO_STAMPS, stamped, stampsOf } from "../../../contract/timeline/observation.ts";
import { endOf, hasGap } from "../../../contract/timeline/track.ts";
import { entriesOf } from "../../../contract/timeline/transitions.ts";
import { nap, sleepUntil } from "../../clock.ts";
import type { Journal } from "../../journal/journal.ts";
import type { WebhookWatch } from "../../judging.ts";
import { checkedSchemeOf, violationsOfWebhook } from "../../judging.ts";
import { takeCost } from "../costs/cost.ts";
import { offsetFor } from "../runs/report-track.ts";
import type { Parts, Run } from "../runs/run.ts";
import { factsOf, historyOf, reportViolations, submittedAtMs, takeIn } from "../runs/run.ts";
import type { DeliveryDesk, OnLate } from "./delivery-desk.ts";

/** Ours: after the last retry of Spec §6 a delivery has this long to arrive. */
const SLACK_MS = 15_000;
/** Ours: four times what Spec §6 allows; a sender that never stops must fill no memory. */
const DELIVERIES_KEPT_MAX = 16;

interface Listening {
  target: Pick<Target, "webhook">;
  desk: Pick<DeliveryDesk, "watch"> | null;
  journal: Pick<Journal, "note">;
}

/** Begins to listen for the run's token; gives back what ends it. */
export function listenFor(parts: Listening, run: Run, onLate?: OnLate): () => void {
  const { token } = run.intent;
  if (token === null || parts.desk === null) return () => {};
  return parts.desk.watch(token, (delivery) => takeDelivery(parts, run, delivery), onLate);
}

/** The same; what comes again after its end is told as well. */
export function listenOn(parts: Parts, run: Run): () => void {
  return listenFor(parts, run, (delivery) => takeLate(parts, run, delivery));
}

function takeDelivery(parts: Listening, run: Run, delivery: Delivery): void {
  const scheme = checkedSchemeOf(parts.target);
  if (!isVouched(scheme, delivery)) {
    // Of the job it proves nothing: whoever learnt the URL may have sent it.
    if (!isUnchecked(scheme, delivery)) run.unsigned ??= delivery;
    // Whose sender broke it off was never delivered.
    else if (delivery.hungUpAtMs === null) run.isCut = true;
    run.wake();
    return;
  }
  run.deliveriesCame += 1;
  if (run.deliveriesCame > DELIVERIES_KEPT_MAX) return;
  run.deliveries.push(delivery);
  const job = decodeJob(bodyOf(delivery)).value;
  const state = job?.state ?? statedState(delivery);
  const stamps = job === null ? NO_STAMPS : stampsOf(job);
  if (state !== null) {
    const { arrivedAtMs } = delivery;
    const fired = statedFiring(delivery);
    takeIn(parts, run, { kind: "delivery", arrivedAtMs, state, stamps, fired });
  }
  run.wake();
}

/**
 * What comes again after the job's deliveries were waited out; false where that is not known to be
 * so. What was never there before is told as missing.
 */
function takeLate(parts: Parts, run: Run, delivery: Delivery): boolean {
  const isOwn = isVouched(checkedSchemeOf(parts.target), delivery);
  if (!isOwn || run.deliveries.length === 0 || run.resumed) return false;
  run.deliveriesCame += 1;
  parts.emit({ type: "delivery", run: factsOf(run), outcome: "repeated", delay: null });
  const deliveries = [...run.deliveries, delivery];
  if (run.deliveriesCame <= DELIVERIES_KEPT_MAX) run.deliveries.push(delivery);
  judgeLate(parts, run, deliveries).catch(() => {});
  return true;
}

async function judgeLate(parts: Parts, run: Run, deliveries: readonly Delivery[]): Promise<void> {
  const endKnownAtMs = run.track.polls.at(-1)?.receivedAtMs ?? submittedAtMs(run);
  const watch = await watchOf(parts, run, endKnownAtMs, deliveries);
  if (watch === null) return;
  const findings = parts.knowledge.series.webhookViolations(watch, parts.target);
  const repeated = findings.filter(({ promise }) => promise === "webhook.once");
  reportViolations(parts, run, repeated);
}

/** A webhook's body may have the status and no other member of a job. Spec §6. */
function statedState(delivery: Delivery) {
  const body = bodyOf(delivery);
  const status = isObject(body) ? body.status : null;
  return parseStatus(status)?.state ?? null;
}

function statedFiring(delivery: Delivery) {
  const body = bodyOf(delivery);
  const firedAt = isObject(body) ? body.fired_at : null;
  return typeof firedAt === "string" ? stamped(parseTimestamp(firedAt)) : null;
}

/** How long a webhook may take to come, with all its retries. */
export function webhookWatchMs({ target }: Parts): number {
  const { webhookWaits } = promisedTimes(target);
  return webhookWaits.reduce((sum, { promisedMs }) => sum + promisedMs, SLACK_MS);
}

/** Waits out the deliveries of a job whose end is known, and reports them. */
export async function watchDeliveries(parts: Parts, run: Run, endKnownAtMs: number): Promise<void> {
  const { clock, signal, target, emit } = parts;
  // It came to an earlier process, and was counted there.
  if (run.resumed && run.track.delivery !== null && run.deliveries.length === 0) return;
  const untilMs = endKnownAtMs + webhookWatchMs(parts);
  const arrived = await firstDelivery(parts, run, endKnownAtMs, untilMs);
  // What was sent while no probe or receiver was there can't be told: nothing is said of it, nor
  // of how late it came.
  const away = run.resumed || parts.desk?.wasAwaySince(submittedAtMs(run)) === true;
  if (
    !arrived &&
    (signal.aborted || away || run.hasAnothersId || (await hasStoodStill(parts, endKnownAtMs)))
  )
    return;
  // It may have been the service's own: nobody can tell whether its webhook came.
  if (!arrived && run.isCut) {
    return emit({ type: "delivery", run: factsOf(run), outcome: "unchecked", delay: null });
  }
  const isUnsigned = !arrived && run.unsigned !== null;
  if (!isReachKnown(parts)) return isUnsigned ? undefined : parts.desk?.doubtReach();
  reportFirst(parts, run, away);
  takeCostTold(parts, run);
  // Whether the service itself sent nothing, or without its signature, nobody can tell.
  if (isUnsigned) return;
  if (arrived) {
    // A second delivery after a 200 would come after the first wait, or the second.
    const [first, second] = promisedTimes(target).webhookWaits;
    const watchMs = first.promisedMs + second.promisedMs;
    await sleepUntil(clock, clock.nowMs() + watchMs, signal);
    await tellUnsigned(parts, run, endKnownAtMs);
    for (let more = 1; more < run.deliveriesCame; more += 1) {
      emit({ type: "delivery", run: factsOf(run), outcome: "repeated", delay: null });
    }
  }
  const watch = await watchOf(parts, run, endKnownAtMs, run.deliveries);
  if (watch === null) return;
  reportViolations(parts, run, parts.knowledge.series.webhookViolations(watch, target));
}

/** A machine that stood still or slept for longer than the slack may have missed all attempts. */
async function hasStoodStill({ lag }: Parts, sinceMs: number): Promise<boolean> {
  return (await lag.since(sinceMs)) >= SLACK_MS;
}

/**
 * Whether a webhook that does not come says something of the service. An address on this machine
 * may be a forwarded port of a container's, whose service reaches nothing here: until a delivery
 * came nobody knows. What `publicUrl` names the operator vouches for.
 */
function isReachKnown({ target, desk }: Parts): boolean {
  return target.embedded || target.webhook?.publicUrl != null || desk?.isReached === true;
}

/** True once the service itself has delivered; one without its signature is told meanwhile. */
async function firstDelivery(
  parts: Parts,
  run: Run,
  endKnownAtMs: number,
  untilMs: number,
): Promise<boolean> {
  const { clock, signal } = parts;
  while (run.deliveries.length === 0 && clock.nowMs() < untilMs && !signal.aborted) {
    const { over, wake } = nap(clock, untilMs, signal);
    run.wake = wake;
    await tellUnsigned(parts, run, endKnownAtMs);
    // What arrived meanwhile has ended the nap.
    if (run.deliveries.length === 0) await over;
  }
  await tellUnsigned(parts, run, endKnownAtMs);
  return run.deliveries.length > 0;
}

/** Once: it breaks the promise of a signature, and says nothing of any other one. */
async function tellUnsigned(parts: Parts, run: Run, endKnownAtMs: number): Promise<void> {
  if (run.unsigned === null || run.isUnsignedTold) return;
  run.isUnsignedTold = true;
  parts.emit({ type: "delivery", run: factsOf(run), outcome: "unsigned", delay: null });
  const watch = await watchOf(parts, run, endKnownAtMs, [run.unsigned]);
  if (watch !== null) reportViolations(parts, run, violationsOfWebhook(watch, parts.target));
}

function reportFirst(parts: Parts, run: Run, away: boolean): void {
  const { emit } = parts;
  const first = run.deliveries[0];
  const end = entriesOf(run.track, offsetFor(parts, run)).at(-1);
  const arrivedAt = first && { lowMs: first.arrivedAtMs, highMs: first.arrivedAtMs };
  const timed = arrivedAt !== undefined && end !== undefined && !hasGap(run.track) && !away;
  const delay = timed ? difference(arrivedAt, end.at) : null;
  if (first !== undefined || run.unsigned === null) {
    const outcome = first === undefined ? "missing" : "first";
    emit({ type: "delivery", run: factsOf(run), outcome, delay });
  }
  emit({ type: "service-level", level: "webhook-delivered", good: first !== undefined });
}

/** The job's own answers have the say; what they leave open a delivery may tell. Spec §6. */
function takeCostTold(parts: Parts, run: Run): void {
  const [told] = run.deliveries;
  if (told !== undefined && !run.cost.isStated) takeCost(parts, run, bodyOf(told));
}

/** What the judges read; null where this process did not see all of it. */
async function watchOf(
  parts: Parts,
  run: Run,
  endKnownAtMs: number,
  deliveries: readonly Delivery[],
): Promise<WebhookWatch | null> {
  const { clock, lag } = parts;
  const history = historyOf(run, null);
  if (history === null || run.resumed || run.hasAnothersId) return null;
  const firstAtMs = deliveries[0]?.arrivedAtMs ?? endKnownAtMs;
  return {
    part: run.canary.part,
    history,
    end: endOf(run.track),
    deliveries,
    endKnownAtMs,
    watchedUntilMs: clock.nowMs(),
    lagMs: await lag.since(firstAtMs),
    isReached: isReachKnown(parts),
  };
}
