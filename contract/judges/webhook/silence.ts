/** That nothing comes after an answer 200, or after the last attempt. Spec §6. */

import type { Claim, Explanation } from "../../judging/claim.ts";
import { anythingIf, countedClaim } from "../../judging/claim.ts";
import { countText, medianOf, momentsIn } from "../../numbers/figures.ts";
import { isSuccess } from "../../requests/exchange.ts";
import { ownMs } from "../../time/promised-times.ts";
import { failureText, isSlowSuccess, isTaken } from "./attempts.ts";
import {
  answerTimesMs,
  askedIn,
  isSuccessStep,
  mayStandStill,
  STALL_LAGS,
  stallMs,
} from "./case.ts";
import { RETRY_GRACE_MS } from "./retried.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import { lateAfterEndMs, nameOf, watchedMs } from "./timeline.ts";
import { endsNotTried, seenOf } from "./witness.ts";

/** Spec §6 waits 5 s and 30 s before it sends again; a repetition after either would be seen. */
const ONCE_WATCH_MS = 35_000;

/** webhook.once: a delivery that was answered 200 does not come again. */
export function onceClaim(run: WebhookTimeline): Claim {
  return silenceClaim(run, {
    promise: "webhook.once",
    isOf: (number) => number === 1,
    off: "sent again after a 200 response",
    of: "deliveries",
    kept: "deliveries answered 200 were not sent again",
    without: "no delivery was answered 200 at once",
  });
}

/** webhook.recovers: a retry that is answered 200 ends the series. */
export function recoversClaim(run: WebhookTimeline): Claim {
  return silenceClaim(run, {
    promise: "webhook.recovers",
    isOf: (number) => number > 1,
    off: "went on after a retry was answered 200",
    of: "series",
    kept: "series ended with a 200 response",
    without: "no retry was answered 200",
  });
}

interface Silence extends Pick<Claim, "promise" | "of" | "off" | "without"> {
  /** By the number of the attempt that was answered 200. */
  isOf: (number: number) => boolean;
  /** Said after the number of those that did not come again. */
  kept: string;
}

function silenceClaim(run: WebhookTimeline, { isOf, ...words }: Silence): Claim {
  const taken = run.numbered.filter((attempt) => isOf(attempt.number) && isFirstTaken(attempt));
  const again = taken.filter(({ next }) => next !== null);
  const own = again.filter(({ each }) => !isStalled(run, each));
  const missed = own.filter((attempt) => isAnswerMissed(run, attempt));
  const mayBeMissed = run.isLocal ? isSenderHeld(run, taken, missed) : own.length === 1;
  const silent = taken.filter(({ next }) => next === null);
  const watched = silent.filter((attempt) => isWatched(run, attempt));
  const cases = watched.map(({ each }) => each);
  return countedClaim({
    ...words,
    faults: again.map((attempt) => {
      return faultOf(attempt, excusesOf(run, attempt, mayBeMissed ? missed : []));
    }),
    open: silent
      .filter((attempt) => !watched.includes(attempt))
      .map((attempt) => ({
        what: `${nameOf(attempt)} was answered 200 and not watched for long enough`,
      })),
    clean: cases.map((each) => seenOf(each)),
    kept: `${watched.length} ${words.kept}`,
    notTried: endsNotTried(cases),
  });
}

function faultOf(attempt: Attempt, above: readonly Explanation[]) {
  const { each, next } = attempt;
  const again = next ?? attempt;
  const what = `${nameOf(again)} came after the 200`;
  return { what, above, ...seenOf(each, [attempt, again]), exchanges: [each.submission] };
}

/** @param missed Those whose answers their senders may not have seen. */
function excusesOf(
  run: WebhookTimeline,
  attempt: Attempt,
  missed: readonly Attempt[],
): readonly Explanation[] {
  const isMissed = missed.includes(attempt);
  const isHeld = isMissed && run.isLocal;
  const isLost = isMissed && !run.isLocal;
  const isLate = isStalled(run, attempt.each);
  return [
    ...anythingIf(isLate, "host lag", "the machine was too busy then to tell why"),
    ...anythingIf(isHeld, "host lag", "its sender may have been held up on this machine"),
    ...anythingIf(isLost, "network", "its response may have been lost"),
  ];
}

/**
 * Whether senders on this machine may have missed those answers: what stands still misses all that
 * it waits for then. When a sender does is not seen where nothing was asked for meanwhile; it is
 * taken to do so about as often as others on the machine were as late, the service's answers to
 * requests among them.
 */
function isSenderHeld(
  run: WebhookTimeline,
  taken: readonly Attempt[],
  missed: readonly Attempt[],
): boolean {
  const tookMs = answerTimesMs(run.cases);
  const usualMs = medianOf(tookMs);
  const lagsMs = run.cases.flatMap((each) => each.lagsMs);
  const seenMs = [...lagsMs, ...tookMs.map((ms) => ms - usualMs)];
  const late = seenMs.filter((ms) => ms >= stallMs(run)).length;
  const arrivedIn = (some: readonly Attempt[]) => {
    const timesMs = some.map(({ delivery }) => delivery.arrivedAtMs);
    return momentsIn(timesMs, run.times.webhookAnswerMs);
  };
  const moments = { count: arrivedIn(missed), of: arrivedIn(taken) };
  return mayStandStill(moments, { count: late, of: seenMs.length });
}

/** Ours: a retry is no sooner than this share of its wait. */
const RETRY_GAP_SHARE = 0.9;

/**
 * Whether a sender may have missed an answer for want of a processor: it then sends again after the
 * next wait, and is right; after a later one where an attempt before was lost. What comes sooner,
 * or much later, is another thing.
 */
function isStalled(run: WebhookTimeline, { attempts }: WatchedJob): boolean {
  const { webhookAnswerMs, webhookWaits } = run.times;
  return attempts.some(({ number, delivery, waitedMs, lagMs }) => {
    if (waitedMs === null || lagMs < stallMs(run) || !isSuccessStep(delivery.answer)) return false;
    const { high: gapMs } = waitedMs;
    return webhookWaits.slice(number - 1).some(({ promisedMs }) => {
      // An attempt that was held up until it was stamped makes the gap after it look short.
      const isLongEnough = gapMs >= promisedMs * RETRY_GAP_SHARE - STALL_LAGS * lagMs;
      return isLongEnough && gapMs <= webhookAnswerMs + promisedMs + STALL_LAGS * lagMs;
    });
  });
}

/**
 * Whether a network may have lost the answer that was followed by a delivery, or a sender on a
 * machine that stalls have missed it: who got none sends again after the next wait, and is right.
 */
function isAnswerMissed(run: WebhookTimeline, attempt: Attempt): boolean {
  const { wait, waitedMs, lagMs } = attempt;
  if (waitedMs === null || wait === null) return false;
  if (run.isLocal && wasServing(run, attempt)) return false;
  // On this machine it may have been stamped late.
  const lateMs = run.isLocal ? STALL_LAGS * lagMs + hungUpBeforeMs(run, attempt) : 0;
  return waitedMs.high >= wait.promisedMs * RETRY_GAP_SHARE - lateMs;
}

/**
 * For how long before a first attempt came its sender had hung up on it, where it was begun as soon
 * after its job's end as another and stood still with the machine then; 0 where it had not. Times
 * at either end may be off by a stall.
 */
function hungUpBeforeMs(run: WebhookTimeline, { each, number }: Attempt): number {
  const lateMs = number > 1 ? 0 : lateAfterEndMs(run, each, 0);
  const { webhookAnswerMs } = run.times;
  return lateMs <= webhookAnswerMs ? 0 : lateMs - webhookAnswerMs + stallMs(run);
}

/** Ours: so long a busy machine may starve the process that sends, while others run. */
export const STARVED_MS = 2_000;

/**
 * Whether the service was asked something and answered it in the midst of the time for which a
 * sender has to stand still to miss an answer. Times at either end may be off by a stall.
 */
function wasServing(run: WebhookTimeline, { delivery }: Attempt): boolean {
  const fromMs = (delivery.answeredAtMs ?? delivery.arrivedAtMs) + stallMs(run);
  const toMs = delivery.arrivedAtMs + run.times.webhookAnswerMs - stallMs(run);
  if (toMs - fromMs < STARVED_MS) return false;
  return askedIn(run.cases).some(
    (asked) => isSuccess(asked) && asked.sentAtMs >= fromMs && asked.receivedAtMs <= toMs,
  );
}

/** Whether it is its job's first attempt that was answered 200, and was answered at once. */
function isFirstTaken({ each, delivery }: Attempt): boolean {
  return each.deliveries.find(isTaken) === delivery && !isSlowSuccess(delivery);
}

/** Watched longer than the next wait would have been, at least as long as any delivery. */
function isWatched({ times }: WebhookTimeline, { each, wait }: Attempt): boolean {
  const retriedMs = (wait?.promisedMs ?? 0) + ownMs(times, RETRY_GRACE_MS);
  return watchedMs(each) >= Math.max(ownMs(times, ONCE_WATCH_MS), retriedMs);
}

/** The first, and three retries. Spec §6. */
const ATTEMPTS_MAX = 4;

/** Ours: the silence after the last attempt, longer than the longest wait. */
export const SILENCE_MS = 310_000;

/** webhook.gives-up: there is no fifth attempt, whatever the fourth was answered. */
export function givesUpClaim(run: WebhookTimeline): Claim {
  const last = run.failed.filter(({ number }) => number === ATTEMPTS_MAX);
  const silent = last.filter(({ each, next }) => {
    return next === null && watchedMs(each) >= ownMs(run.times, SILENCE_MS);
  });
  return countedClaim({
    promise: "webhook.gives-up",
    faults: last.flatMap(({ each, next }) => {
      if (next === null) return [];
      const all = `${each.deliveries.length} attempts, promised ${ATTEMPTS_MAX} at the most`;
      return [{ what: `${all}: ${nameOf(next)}`, ...seenOf(each, [next]) }];
    }),
    clean: silent.map(({ each, delivery }) => {
      return seenOf(each, [], { "ways to fail": failureText(delivery.answer) });
    }),
    of: "jobs",
    kept: `${countText(silent.length, "job")}: no delivery after attempt ${ATTEMPTS_MAX}`,
    without:
      last.length === 0
        ? `no job was seen with ${ATTEMPTS_MAX} failed attempts`
        : `the ${SILENCE_MS / 1_000} s of silence after attempt ${ATTEMPTS_MAX} do not fit into ` +
          "this run",
    notTried: endsNotTried(silent.map(({ each }) => each)),
  });
}
