/** Watches for a job's webhook after its end is known: how late, how often, and what it says. */

import { isObject } from "../../contract/decode/decoded.ts";
import { decodeJob } from "../../contract/decode/job.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { EndState } from "../../contract/job-history.ts";
import { bodyOf } from "../../contract/judges/webhook/deliveries.ts";
import { parseStatus } from "../../contract/states.ts";
import { parseTimestamp } from "../../contract/timestamps.ts";
import { WEBHOOK_RETRY_WAITS_MS } from "../../contract/webhook-schedule.ts";
import { nap, sleepUntil } from "../clock.ts";
import type { Journal } from "../journal/journal.ts";
import { difference } from "../tracker/interval.ts";
import { NO_STAMPS, stamped, stampsOf } from "../tracker/observation.ts";
import { endOf, hasGap } from "../tracker/tracker.ts";
import { entriesOf } from "../tracker/transitions.ts";
import { takeCost } from "./cost.ts";
import type { DeliveryDesk } from "./delivery-desk.ts";
import { offsetFor } from "./report-track.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, historyOf, submittedAtMs, takeIn } from "./run.ts";

/** Ours: after the last retry of Spec §6 a delivery has this long to arrive. */
const SLACK_MS = 15_000;
/** Ours: a second delivery after a 200 would come after the first wait of Spec §6. */
const REPEAT_WATCH_MS = WEBHOOK_RETRY_WAITS_MS[0] + WEBHOOK_RETRY_WAITS_MS[1];

/** Ours: four times what Spec §6 allows; a sender that never stops must fill no memory. */
const DELIVERIES_KEPT_MAX = 16;

interface Listening {
  desk: Pick<DeliveryDesk, "watch"> | null;
  journal: Pick<Journal, "note">;
}

/** Begins to listen for the run's token; gives back what ends it. */
export function listenFor(parts: Listening, run: Run): () => void {
  const { token } = run.intent;
  if (token === null || parts.desk === null) return () => {};
  return parts.desk.watch(token, (delivery) => {
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
  });
}

/** A webhook's body may have the status and no other member of a job. Spec §6. */
function statedState(delivery: Delivery) {
  const body = bodyOf(delivery);
  const status = isObject(body) ? body.status : null;
  return typeof status === "string" ? (parseStatus(status)?.state ?? null) : null;
}

function statedFiring(delivery: Delivery) {
  const body = bodyOf(delivery);
  const firedAt = isObject(body) ? body.fired_at : null;
  return typeof firedAt === "string" ? stamped(parseTimestamp(firedAt)) : null;
}

/** How long a webhook may take to come, with all its retries. */
export function webhookWatchMs({ target }: Parts): number {
  return WEBHOOK_RETRY_WAITS_MS.reduce((sum, wait) => sum + wait, 0) * target.timeScale + SLACK_MS;
}

/** Waits out the deliveries of a job whose end is known, and reports them. */
export async function watchDeliveries(parts: Parts, run: Run, endKnownAtMs: number): Promise<void> {
  const { clock, signal, target, emit } = parts;
  // It came to an earlier process, and was counted there.
  if (run.resumed && run.track.delivery !== null && run.deliveries.length === 0) return;
  const arrived = await firstDelivery(parts, run, endKnownAtMs + webhookWatchMs(parts));
  // What was sent while no probe or receiver was there can't be told: nothing is said of it.
  const away = run.resumed || parts.desk?.wasAwaySince(submittedAtMs(run));
  if (!arrived && (signal.aborted || away || (await hasStoodStill(parts, endKnownAtMs)))) return;
  if (!isReachKnown(parts)) return parts.desk?.doubtReach();
  reportFirst(parts, run);
  takeCostTold(parts, run);
  if (arrived) {
    await sleepUntil(clock, clock.nowMs() + REPEAT_WATCH_MS * target.timeScale, signal);
    for (let more = 1; more < run.deliveriesCame; more += 1) {
      emit({ type: "delivery", run: factsOf(run), outcome: "repeated", delay: null });
    }
  }
  await judge(parts, run, endKnownAtMs);
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

async function firstDelivery(parts: Parts, run: Run, untilMs: number): Promise<boolean> {
  if (run.deliveries.length > 0) return true;
  const { over, wake } = nap(parts.clock, untilMs, parts.signal);
  run.wake = wake;
  await over;
  return run.deliveries.length > 0;
}

function reportFirst(parts: Parts, run: Run): void {
  const { emit } = parts;
  const first = run.deliveries[0];
  const end = entriesOf(run.track, offsetFor(parts, run)).at(-1);
  const arrivedAt = first && { lowMs: first.arrivedAtMs, highMs: first.arrivedAtMs };
  const timed = arrivedAt !== undefined && end !== undefined && !hasGap(run.track);
  const delay = timed ? difference(arrivedAt, end.at) : null;
  const outcome = first === undefined ? "missing" : "first";
  emit({ type: "delivery", run: factsOf(run), outcome, delay });
  const good = first !== undefined && isTrusted(parts, first);
  emit({ type: "service-level", level: "webhook-delivered", good });
}

/** The job's own answers have the say; what they leave open a delivery may tell. Spec §6. */
function takeCostTold(parts: Parts, run: Run): void {
  const told = run.deliveries.find((delivery) => isTrusted(parts, delivery));
  if (told !== undefined && !run.cost.isStated) takeCost(parts, run, bodyOf(told));
}

/** Whether a caller who checks signatures could use the delivery. Spec §5.5. */
function isTrusted({ target }: Parts, { signature }: Delivery): boolean {
  const by = target.webhook?.signature;
  // Without a scheme and its secret nothing is checked: then the delivery is what counts.
  if (by === undefined || by.scheme === "present" || by.secretEnv === null) return true;
  return signature === "valid" || signature === "present";
}

async function judge(parts: Parts, run: Run, endKnownAtMs: number): Promise<void> {
  const { clock, emit, knowledge, lag, target } = parts;
  const history = historyOf(run, null);
  if (history === null || run.resumed) return;
  const firstAtMs = run.deliveries[0]?.arrivedAtMs ?? endKnownAtMs;
  const watch = {
    part: run.canary.part,
    history,
    end: endOf(run.track) as EndState | null,
    deliveries: run.deliveries,
    endKnownAtMs,
    watchedUntilMs: clock.nowMs(),
    lagMs: await lag.since(firstAtMs),
    isReached: isReachKnown(parts),
  };
  for (const { promise, summary } of knowledge.series.webhookViolations(watch, target)) {
    emit({ type: "violation", run: factsOf(run), promise, summary, atMs: clock.nowMs() });
  }
}
