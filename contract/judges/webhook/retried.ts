/** webhook.retried: a failed delivery is tried again, however and whenever it failed. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import { chanceOfAtLeast } from "../../numbers/binomial.ts";
import { ownMs } from "../../time/promised-times.ts";
import { failureText } from "./attempts.ts";
import { CHANCE_MIN, mayBeRefusedTwice } from "./case.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import { freeMs, isSettled, lateAfterEndMs, nameOf } from "./timeline.ts";
import { endsNotTried, seenOf } from "./witness.ts";

/**
 * Ours: a retry that is not there after so many times its wait, and this, is none. Later ones are
 * late by any schedule, and the profile quick watches no second attempt for twice its wait.
 */
const RETRY_WAITS = 1.5;
export const RETRY_GRACE_MS = 5_000;

/** `doubtful`: it did not come, and may never have been sent at all, or be lost on the way. */
type Outcome = "seen" | "missed" | "doubtful" | "unknown";

interface Tried {
  each: WatchedJob;
  attempt: Attempt | null;
  what: string;
  outcome: Outcome;
}

export function retriedClaim(run: WebhookTimeline): Claim {
  const tried = triedIn(run);
  const of = (...outcomes: readonly Outcome[]) =>
    tried.filter(({ outcome }) => outcomes.includes(outcome));
  const seen = of("seen");
  const lost = "it may not have been sent either, be lost, or not reach that port";
  return countedClaim({
    promise: "webhook.retried",
    faults: of("missed", "doubtful").map((one) => ({
      what: `no attempt came after ${one.what}${one.attempt ? ` (${nameOf(one.attempt)})` : ""}`,
      above: one.outcome === "doubtful" ? [anything("network", lost)] : [],
      ...shownOf(one),
      exchanges: [one.each.submission],
    })),
    open: of("unknown").map((one) => ({ what: `${whyUnknown(run, one)}, after ${one.what}` })),
    clean: seen.map(shownOf),
    of: "failed deliveries",
    off: "were not retried",
    kept: `retried after ${waysOf(seen)}`,
    without: "no delivery could be made to fail",
    evidence: waysTold(of("missed"), seen),
    notTried: [...endsNotTried(seen.map(({ each }) => each)), ...refusalsUntold(tried)],
  });
}

function waysOf(tried: readonly Tried[]): string {
  return [...new Set(tried.map(({ what }) => what))].sort().join(", ");
}

/** Of many ways to fail, which are retried and which are not: a rule of the service may show. */
function waysTold(missed: readonly Tried[], seen: readonly Tried[]) {
  if (missed.length === 0) return {};
  const retried = seen.length === 0 ? {} : { "retried after": waysOf(seen) };
  return { "not retried after": waysOf(missed), ...retried };
}

function whyUnknown(run: WebhookTimeline, { each, attempt }: Tried): string {
  const { jobId, deliveries } = each;
  const isRefused = attempt === null;
  if (isRefused && deliveries.length > 0) return `what came of ${jobId} may be a first attempt`;
  const isOpenedLate = isRefused && mayBeRefusedTwice(run, each);
  if (isOpenedLate) return `the port of ${jobId} opened when a second retry may have been refused`;
  return `the run ended before a retry of ${jobId} was due`;
}

/** Where no attempt came before the watch ended, or another machine may have refused them. */
function refusalsUntold(tried: readonly Tried[]): readonly string[] {
  const refused = tried.filter(({ attempt }) => attempt === null);
  const isTold = refused.some(({ outcome }) => outcome === "seen" || outcome === "missed");
  return refused.length > 0 && !isTold ? ["refused connections"] : [];
}

function shownOf({ each, attempt, what }: Tried) {
  const strata = { "ways to fail": what, attempts: String(attempt?.number ?? 1) };
  return seenOf(each, attempt === null ? [] : [attempt], strata);
}

function triedIn(run: WebhookTimeline): readonly Tried[] {
  const tried: readonly Tried[] = run.failed
    .filter(({ wait }) => wait !== null)
    .map((attempt) => {
      const what = failureText(attempt.delivery.answer);
      return { each: attempt.each, attempt, what, outcome: retryOf(run, attempt) };
    });
  const lost = tried.filter(({ attempt, outcome }) => {
    return outcome === "missed" && attempt !== null && isLastSeen(run, attempt);
  });
  const mayBeLost = !run.isLocal && areByChance(run, tried, lost);
  return [
    ...tried.map((one) =>
      mayBeLost && lost.includes(one) ? { ...one, outcome: "doubtful" as const } : one,
    ),
    ...run.refused.map((each) => {
      const outcome = afterRefusal(run, each);
      return { each, attempt: null, what: "a refused connection", outcome };
    }),
  ];
}

/**
 * Of the retries that no other follows the way from elsewhere may have lost one. It may have lost
 * more where others were lost that a later one followed, and about as often: not all of one kind.
 */
function areByChance(
  run: WebhookTimeline,
  tried: readonly Tried[],
  lost: readonly Tried[],
): boolean {
  if (lost.length < 2) return true;
  const { unseen } = run;
  const isKind = lost.some(({ what }) => {
    const alike = tried.filter((one) => one.what === what && one.outcome !== "unknown");
    return alike.length > 1 && alike.every((one) => lost.includes(one));
  });
  if (unseen === 0 || isKind) return false;
  const last = tried.filter(({ attempt }) => attempt !== null && isLastSeen(run, attempt));
  const followed = tried.length - last.length;
  const share = (unseen + 1) / (followed + unseen + 2);
  return chanceOfAtLeast(lost.length, last.length, share) >= CHANCE_MIN;
}

/** Whether the watch was over before the retry after the one that is missed would be missed. */
function isLastSeen(run: WebhookTimeline, attempt: Attempt): boolean {
  const { each, number, unseen, overAtMs, wait } = attempt;
  const following = run.times.webhookWaits[number + unseen];
  if (wait === null || following === undefined) return true;
  const dueMs = RETRY_WAITS * (wait.promisedMs + following.promisedMs) + retryGraceMs(run);
  const watchedMs = freeMs(run, { fromMs: overAtMs, toMs: each.watchedUntilMs });
  return watchedMs < dueMs + run.times.webhookAnswerMs;
}

/** Whether a retry that was due came; unknown when the watch ended too early to tell. */
export function retryOf(run: WebhookTimeline, attempt: Attempt): "seen" | "missed" | "unknown" {
  const { each, overAtMs, wait, next } = attempt;
  if (next !== null || wait === null) return "seen";
  const dueMs = RETRY_WAITS * wait.promisedMs + retryGraceMs(run);
  const watchedMs = freeMs(run, { fromMs: overAtMs, toMs: each.watchedUntilMs });
  return watchedMs >= dueMs ? "missed" : "unknown";
}

export function retryGraceMs(run: WebhookTimeline): number {
  return ownMs(run.times, RETRY_GRACE_MS) + run.lagMs;
}

/** A refused attempt leaves no trace: that there was one has to be inferred. */
function afterRefusal(run: WebhookTimeline, each: WatchedJob): Outcome {
  if (each.endKnownAtMs === null) return "unknown";
  if (each.deliveries.length > 0) return cameLater(run, each) ? "seen" : "unknown";
  // The port may have opened after the first retry only; so the second one is waited for.
  if (mayBeRefusedTwice(run, each)) return "unknown";
  const [first, second] = run.times.webhookWaits;
  const dueMs = RETRY_WAITS * (first.promisedMs + second.promisedMs) + retryGraceMs(run);
  if (!isSettled(run, each, dueMs)) return "unknown";
  // A port may be forwarded to the service, and the one that refuses is another.
  return run.receiverReach === "sure" && isSendingKnown(run) ? "missed" : "doubtful";
}

/** Ours: fewer could all be lost by a service that loses some of its first deliveries. */
const REFUSED_MIN = 2;
const DELIVERED_MIN = 10;

/** Whether the service sends what it should, except to the address that refuses. */
function isSendingKnown(run: WebhookTimeline): boolean {
  const refused = run.refused.filter((each) => each.endKnownAtMs !== null);
  const others = run.ended;
  return (
    refused.length >= REFUSED_MIN &&
    refused.every((each) => each.deliveries.length === 0) &&
    others.length >= DELIVERED_MIN &&
    others.every((each) => each.deliveries.length > 0)
  );
}

/** Whether it came so much later after its job's end than the others that it is no first try. */
function cameLater(run: WebhookTimeline, each: WatchedJob): boolean {
  return lateAfterEndMs(run, each, 0.5) > run.times.webhookWaits[0].promisedMs / 2;
}
