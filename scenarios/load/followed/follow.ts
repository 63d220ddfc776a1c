/** Follows each job of the ledger by webhooks and polls until it can be judged. Spec §3, §4.4. */

import { decodeAccepted } from "../../../contract/decode/accepted.ts";
import { jobIn } from "../../../contract/decode/job.ts";
import type { Job } from "../../../contract/decode/job-types.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import { isVouched } from "../../../contract/jobs/delivery.ts";
import { noteIssued, noteTwice } from "../../../contract/jobs/issued-ids.ts";
import { VIEW_LAG_MS } from "../../../contract/judges/job/reading.ts";
import { recordValue } from "../../../contract/numbers/histogram.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import {
  isClientError,
  isGone,
  isSuccess,
  jsonBody,
  tookMsOf,
} from "../../../contract/requests/exchange.ts";
import { isFreeByRule, isTerminal } from "../../../contract/states.ts";
import { UNKNOWN_MS_MAX } from "../../client/followed/followed-job.ts";
import type { FollowPolicy } from "../../client/followed/follower.ts";
import {
  jobOf,
  takeAcceptance,
  takeAccepted,
  takeDuplicate,
  takePoll,
  takeRefusal,
  takeRefusedRun,
} from "../in-passing.ts";
import { askFor } from "../offered/requests.ts";
import { countInSeries, timeInSeries } from "../series.ts";
import type { Soak } from "../soak.ts";
import { hasFeed, thirdOf } from "../soak.ts";
import { holdAgainst, takeDelivery } from "../webhooks/deliveries.ts";
import { takeAttempt, takeUnsignedAttempt } from "../webhooks/retries.ts";
import {
  closeEnded,
  closeLost,
  countEnd,
  isAsExpected,
  missWebhook,
  takeLateWebhook,
  tellsTimes,
} from "./closing.ts";
import type { Entry } from "./ledger.ts";
import { firstPollMs, nextPollMs, webhookGraceMs } from "./timing.ts";
import { keepUnshown } from "./unshown-ends.ts";

/** Ours: a job whose end a webhook told is polled when the service has settled it everywhere. */
const VERIFY_AFTER_MS = 300;
/** Ours: beyond so many polls in line, jobs whose end a webhook told are taken at its word. */
const POLLS_WAITING_MAX = 500;
/** Ours: a job is gone when it was not found twice, this far apart. */
const GONE_SPAN_MS = 1_000;
const GONE_REPEAT_MS = 1_100;
/** Ours: polls of one job without a usable answer, before its webhook must do. */
const FAILURES_MAX = 5;
const FAILURE_REPEAT_MS = 1_000;

/** Takes in the answer to a submission. */
export function onAnswer(soak: Soak, entry: Entry, exchange: Exchange): void {
  const { tally, ledger } = soak;
  entry.submission = exchange;
  if (isClientError(exchange)) {
    ledger.close(entry);
    takeRefusal(soak, entry, exchange);
    if (exchange.status === 429) tally.throttled += 1;
    else tally.refused[exchange.status] = (tally.refused[exchange.status] ?? 0) + 1;
    return;
  }
  tally.offered += 1;
  countInSeries(tally.series, "offered", entry.sentAtMs);
  entry.accepted = isSuccess(exchange) ? decodeAccepted(jsonBody(exchange)) : null;
  const id = entry.accepted?.value?.id ?? null;
  if (id !== null) takeAcceptance(soak, entry, exchange);
  if (id === null) onAmbiguous(soak, entry);
  else if (ledger.issuedAtMs(id) === null) accept(soak, entry, id);
  else {
    tally.duplicates += 1;
    noteTwice(tally.ids, id);
    takeDuplicate(soak, id, exchange);
    ledger.close(entry);
  }
}

/** There may be a job or not; only its webhook can tell. */
function onAmbiguous(soak: Soak, entry: Entry): void {
  soak.tally.ambiguous += 1;
  entry.standing = "ambiguous";
  if (entry.end?.id != null) resolve(soak, entry, entry.end.id);
}

function resolve(soak: Soak, entry: Entry, id: string): void {
  if (soak.ledger.issuedAtMs(id) !== null) return;
  soak.tally.resolved += 1;
  accept(soak, entry, id);
}

function accept(soak: Soak, entry: Entry, id: string): void {
  const { tally, ledger } = soak;
  entry.standing = "accepted";
  entry.openAtMs = soak.context.world.now();
  tally.accepted += 1;
  tally.waiting += 1;
  countInSeries(tally.series, "accepted", entry.sentAtMs);
  ledger.issue(entry, id);
  noteIssued(tally.ids, id, entry.sentAtMs, entry.key.name);
  takeAccepted(soak, entry);
  if (entry.end === null) soak.follower.schedule(entry, firstPollMs(soak, entry));
  else onEnd(soak, entry);
}

/** Takes in a delivery at one of the soak's webhook addresses. */
export function onWebhook(soak: Soak, delivery: Delivery): void {
  const isOwn = isVouched(soak.plan.receiver?.signature.scheme ?? "present", delivery);
  takeLateWebhook(soak, delivery.token, isOwn);
  takeDelivery(soak, delivery, isOwn);
  if (isOwn) takeAttempt(soak, delivery);
  else takeUnsignedAttempt(soak, delivery);
  const entry = soak.ledger.open.get(delivery.token);
  if (entry === undefined) {
    if (isOwn) takeRefusedRun(soak, delivery);
    return;
  }
  if (!isOwn) {
    entry.isUnvouched = true;
    return;
  }
  entry.webhookAtMs ??= delivery.arrivedAtMs;
  entry.toldAtMs ??= soak.context.world.now();
  const polled = jobIn(entry.lastSeen);
  if (isTerminal(polled?.state)) holdAgainst(soak, entry, polled);
  const job = jobOf(delivery);
  if (isTerminal(job?.state)) {
    entry.end ??= job;
    entry.endSeenAtMs ??= delivery.arrivedAtMs;
    if (entry.standing === "ambiguous" && job.id !== null) {
      resolve(soak, entry, job.id);
      return;
    }
  }
  if (entry.standing !== "accepted") return;
  if (entry.end !== null) onEnd(soak, entry);
  else soak.follower.schedule(entry, soonMs(soak));
}

function soonMs({ context }: Soak): number {
  return context.world.now() + VERIFY_AFTER_MS;
}

/** When the cost of an ended job that told none may be there; null where nobody waits for it. */
function costAtMs({ costs, manners, context }: Soak, entry: Entry): number | null {
  const { end, endSeenAtMs } = entry;
  if (!manners.verifies || end === null || endSeenAtMs === null) return null;
  const atMs = costs.pollAtMs(end, endSeenAtMs, context.world.now());
  entry.lackedCost ||= atMs !== null;
  return atMs;
}

/**
 * The end is known, by webhook or poll: it is verified, and the webhook waited for. One that should
 * have been another, or tells no times, counts when the job itself has told it.
 */
function onEnd(soak: Soak, entry: Entry): void {
  if (entry.verified || (isAsExpected(entry) && tellsTimes(entry.end))) countEnd(soak, entry);
  if (!entry.verified) {
    if (mustVerify(soak, entry)) {
      // What is to be free is not charged, and how it ended tells most where it is read soon.
      const costMs = isFreeByRule(entry.end?.state ?? null) ? null : costAtMs(soak, entry);
      soak.follower.schedule(entry, costMs ?? soonMs(soak));
    } else {
      entry.verified = true;
      soak.tally.verifications.skipped += 1;
    }
  }
  if (entry.webhookAtMs === null && soak.plan.receiver !== null) awaitWebhook(soak, entry);
  closeIfDone(soak, entry);
}

/** Rare parts are polled always, the others while the key's pace has room. */
function mustVerify({ follower, manners }: Soak, entry: Entry): boolean {
  const { key, end, mixPart } = entry;
  const { part } = mixPart;
  if (!isAsExpected(entry)) return true;
  if (!manners.verifies) return end?.durationMs == null && follower.waiting(key.pacer) === 0;
  return (
    part === "timeout" || part === "failure" || follower.waiting(key.pacer) < POLLS_WAITING_MAX
  );
}

function awaitWebhook(soak: Soak, entry: Entry): void {
  const graceMs = webhookGraceMs(soak);
  soak.follower.remind(soak.context.world.now() + graceMs, () => {
    if (entry.isClosed || entry.webhookAtMs !== null || entry.webhookMissing) return;
    missWebhook(soak, entry, graceMs);
    closeIfDone(soak, entry);
  });
}

function closeIfDone(soak: Soak, entry: Entry): void {
  if (entry.isClosed || entry.end === null || !entry.verified) return;
  countEnd(soak, entry);
  const costDueAtMs = costAtMs(soak, entry);
  if (costDueAtMs !== null) {
    soak.follower.schedule(entry, costDueAtMs);
    return;
  }
  const isWebhookSettled =
    soak.plan.receiver === null || entry.webhookAtMs !== null || entry.webhookMissing;
  if (isWebhookSettled || !hasFeed(soak)) closeEnded(soak, entry);
}

/** Ours: what is due is noticed this soon, and timers are over soon after the load. */
const TICK_MS = 20;
const TIMER_MS_MAX = 100;

/** How a load asks for its jobs: at the pace of their keys, and as soon as there is news. */
export function loadPolicy(soakOf: () => Soak): FollowPolicy<Entry, Exchange> {
  return {
    ask: (entry) => askFor(soakOf(), entry),
    take: (entry, exchange) => onPolled(soakOf(), entry, exchange),
    pacerOf: ({ key }) => key.pacer,
    tickMs: TICK_MS,
    timerMsMax: TIMER_MS_MAX,
  };
}

/** Takes in what a job's poll was answered; when to ask again, null where that is planned. */
function onPolled(soak: Soak, entry: Entry, exchange: Exchange): number | null {
  if (isGone(exchange)) return onMissing(soak, entry, exchange);
  const job = takePoll(entry, exchange);
  if (job === null) return onFailure(soak, entry, exchange);
  entry.missed.push(...entry.missing);
  entry.missing = [];
  entry.lastSeen = exchange;
  if (job.state === "running") entry.runningSeen ??= exchange;
  if (isTerminal(job.state)) {
    onEndPolled(soak, entry, job, exchange);
    return null;
  }
  if (job.state !== null) entry.openAtMs = exchange.sentAtMs;
  if (entry.end !== null) return onFailure(soak, entry, exchange);
  entry.failures = 0;
  return nextPollMs(soak, entry);
}

function onEndPolled(soak: Soak, entry: Entry, job: Job, exchange: Exchange): void {
  const { receivedAtMs } = exchange;
  soak.tally.verifications.done += 1;
  takePollTime(soak, exchange);
  entry.verified = true;
  entry.end = job;
  entry.endSeen ??= exchange;
  holdAgainst(soak, entry, job);
  entry.endSeenAtMs ??= receivedAtMs;
  soak.costs.seen(job, entry.endSeenAtMs, receivedAtMs, entry.lackedCost);
  onEnd(soak, entry);
}

/** Of ended jobs alone: what a service has to read for the others may take less. */
function takePollTime(soak: Soak, exchange: Exchange): void {
  if (soak.phase !== "offering") return;
  const { tally } = soak;
  const [tookMs, atMs] = [tookMsOf(exchange), exchange.sentAtMs];
  recordValue(tally.poll.thirds[thirdOf(soak, atMs)], tookMs);
  timeInSeries(tally.series, "poll", atMs, tookMs);
}

function onMissing(soak: Soak, entry: Entry, exchange: Exchange): number | null {
  entry.missing.push(exchange);
  const [first] = entry.missing;
  const lagMs = entry.lastSeen === null ? UNKNOWN_MS_MAX : VIEW_LAG_MS;
  const isOld = exchange.sentAtMs - entry.sentAtMs > lagMs;
  if (first !== undefined && isOld && exchange.sentAtMs - first.sentAtMs >= GONE_SPAN_MS) {
    closeLost(soak, entry, "an accepted job is no longer found", entry.missing);
    return null;
  }
  return soak.context.world.now() + GONE_REPEAT_MS;
}

/** No usable answer, or one that lags behind the webhook: asked again, a few times at the most. */
function onFailure(soak: Soak, entry: Entry, exchange: Exchange): number | null {
  entry.failures += 1;
  if (entry.failures >= FAILURES_MAX && entry.end !== null) {
    soak.tally.verifications.skipped += 1;
    entry.verified = true;
    keepUnshown(soak, entry, exchange);
    closeIfDone(soak, entry);
    return null;
  }
  const shownId = jobIn(exchange)?.id ?? entry.id;
  if (isSuccess(exchange) && shownId === entry.id) entry.lastSeen = exchange;
  return soak.context.world.now() + FAILURE_REPEAT_MS * entry.failures;
}
