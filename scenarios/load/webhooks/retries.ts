/**
 * Lets the first delivery of a few jobs fail, so that a load has redeliveries as well: whether they
 * come while there is much to do, after whichever status, and what they cost. Spec §6.
 */

import type { AnswerStep, Delivery } from "../../../contract/jobs/delivery.ts";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import { addViolation } from "../../../contract/judges/load/violations.ts";
import {
  failureText,
  isFailure,
  isTaken,
  namedJob,
  overAtMs,
} from "../../../contract/judges/webhook/attempts.ts";
import { isBesideUs } from "../../../contract/requests/loopback.ts";
import { utc } from "../../../contract/time/timestamps.ts";
import { asQuoted } from "../../../contract/verdict.ts";
import type { Entry } from "../followed/ledger.ts";
import { machineSlackMs, webhookGraceMs } from "../followed/timing.ts";
import type { Soak } from "../soak.ts";
import { areOfTwoJobs, keepQuotable, quotedOf, signerOf } from "./deliveries.ts";
import type { FailedDelivery } from "./failed-deliveries.ts";

/** Ours: enough of thousands for each status to be met, and few beside all others. */
const FAILED_ONE_IN = 40;
/** Ours: what is only one key's shows in either of two. */
const FAILED_OF_EACH_KEY = 2;
/** Ours: a retry comes by the end of the load, with this share of it left for its job's run. */
const RUN_SHARE = 1 / 6;
const THIRD = 1 / 3;
/** Ours: those of an hour at full speed; more of them tell nothing new. */
const ASKED_MAX = 5_000;

/** What services are known to tell apart, in an order that mixes classes. */
const STATUSES = [
  ...[500, 403, 302, 502, 401, 308, 429, 504, 400, 303],
  ...[503, 409, 301, 501, 405, 307, 422, 404, 408, 410],
  ...[413, 415, 402, 507, 451, 406],
] as const;

const TAKE: readonly AnswerStep[] = [ANSWER_OK];

/** How the job's webhook is answered: one in some is taken at the second attempt only. */
export function scriptFor(soak: Soak, entry: Entry): readonly AnswerStep[] {
  const { retries, manners, context } = soak;
  const isLeft = !manners.verifies || !isEarly(soak, entry) || retries.asked >= ASKED_MAX;
  if (isLeft) return TAKE;
  const { name } = entry.key;
  const ofKey = retries.askedOf.get(name) ?? 0;
  const isDrawn = context.random.next() * FAILED_ONE_IN < 1;
  if (!isDrawn && ofKey >= FAILED_OF_EACH_KEY) return TAKE;
  const status = STATUSES[retries.asked % STATUSES.length] ?? 500;
  retries.asked += 1;
  retries.askedOf.set(name, ofKey + 1);
  return [{ ...ANSWER_OK, status }, ANSWER_OK];
}

function isEarly({ plan, load }: Soak, { third }: Entry): boolean {
  const [{ latestMs }] = plan.times.webhookWaits;
  const leftShare = 1 - THIRD * (third + 1) - RUN_SHARE;
  return latestMs < leftShare * load.durationMs;
}

/** One that failed awaits another, which ends that, however it is answered. */
export function takeAttempt(soak: Soak, delivery: Delivery): void {
  const { retries, tally, ledger, plan } = soak;
  const { token, arrivedAtMs } = delivery;
  const failed = retries.open.get(token);
  if (failed !== undefined) {
    retries.open.delete(token);
    const isRetry = !areOfTwoJobs(namedJob(failed.first), namedJob(delivery));
    if (isRetry) tally.deliveries.retried += 1;
    const isTakenRetry = isRetry && takeWait(soak, failed, delivery) && isTaken(delivery);
    retries.over.set(token, isTakenRetry ? { id: failed.id, arrivedAtMs } : null);
    for (const submission of failed.exchanges) keepQuotable(tally, token, submission);
    return;
  }
  if (retries.over.has(token)) {
    takeFurther(soak, delivery);
    return;
  }
  if (!isFailure(delivery.answer, plan.times)) return;
  const entry = ledger.open.get(token) ?? null;
  const exchanges = entry?.submission ? [asQuoted(entry.submission)] : [];
  const signer = entry === null ? null : signerOf(entry.key);
  retries.open.set(token, { id: entry?.id ?? "a job", first: delivery, exchanges, signer });
}

/**
 * Ours: beside what is tolerated, what a sender may be off on its own machine; and what a first
 * delivery may take longer on a way from elsewhere, on a new connection over TLS, than the second.
 */
const WAIT_SLACK_MS = { local: 250, afar: 1_500 };

/** One a job: the receiver has forgotten it, and answers what comes as a first attempt. */
function takeFurther({ retries, tally }: Soak, delivery: Delivery): void {
  const { token, arrivedAtMs } = delivery;
  const taken = retries.over.get(token) ?? null;
  if (taken === null) return;
  retries.over.set(token, null);
  const afterMs = Math.round(arrivedAtMs - taken.arrivedAtMs);
  const what = `${taken.id}: came again ${afterMs} ms after a retry that was answered 200`;
  addViolation(tally.deliveries.goneOn, { what, exchanges: quotedOf(tally, token) });
}

/**
 * Whether the wait begins with the start or the end of what failed is open; under load nothing
 * bounds how late an outbox may be, so only what came too soon counts. False where it did.
 */
function takeWait(soak: Soak, { id, first, exchanges }: FailedDelivery, next: Delivery): boolean {
  const { tally, plan } = soak;
  const [{ promisedMs, earliestMs }] = plan.times.webhookWaits;
  const ownSlackMs = isBesideUs(plan.baseUrl, plan.receiver)
    ? WAIT_SLACK_MS.local
    : WAIT_SLACK_MS.afar;
  const slackMs = ownSlackMs + machineSlackMs(soak);
  const longestMs = next.arrivedAtMs - first.arrivedAtMs;
  if (longestMs + slackMs >= earliestMs) return true;
  const came = `after ${failureText(first.answer)} its second attempt came`;
  const what = `${id}: ${came} ${Math.round(longestMs)} ms later; promised ${promisedMs} ms`;
  addViolation(tally.deliveries.mistimed, { what, exchanges });
  return false;
}

/** It may be the attempt that is awaited, without its signature: whether that came stays open. */
export function takeUnsignedAttempt({ retries }: Soak, { token }: Delivery): void {
  if (retries.open.delete(token)) retries.over.set(token, null);
}

/** At the end, when those that were due long ago have not come. */
export function takeMissedRetries(soak: Soak): void {
  const { retries, tally, plan, context } = soak;
  const { times } = plan;
  const [{ promisedMs }] = times.webhookWaits;
  // A sender that has a queue may be as late with it as with a first delivery.
  const graceMs = promisedMs + webhookGraceMs(soak);
  for (const { id, first, exchanges } of retries.open.values()) {
    if (context.world.now() - overAtMs(first, times) < graceMs) continue;
    const failed = `${id}: ${failureText(first.answer)} at ${utc(first.arrivedAtMs)}`;
    const what = `${failed}, and no attempt came after it until the end of the load`;
    addViolation(tally.deliveries.unretried, { what, exchanges });
  }
}
