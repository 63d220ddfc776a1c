/** That nothing comes after an answer 200, or after the last attempt. Spec §6. */

import { medianOf } from "../../figures.ts";
import type { Claim, Explanation } from "../../judging/claim.ts";
import { anythingIf, countedClaim } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import { count } from "../job/sample.ts";
import type { Attempt } from "./attempts.ts";
import { attemptsOf, failedIn, failureText, isSlowSuccess, isTaken } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { isStalled, mayStandStill, STALL_LAGS, stallMs, watchedMs } from "./case.ts";
import { RETRY_GRACE_MS } from "./retried.ts";
import { tookMsOf } from "./way.ts";
import { endsNotTried, nameOf, seenOf } from "./witness.ts";

/** Spec §6 waits 5 s and 30 s before it sends again; a repetition after either would be seen. */
const ONCE_WATCH_MS = 35_000;

/** webhook.once: a delivery that was answered 200 does not come again. */
export function onceClaim(run: WebhookRun): Claim {
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
export function recoversClaim(run: WebhookRun): Claim {
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

function silenceClaim(run: WebhookRun, { isOf, ...words }: Silence): Claim {
  const taken = takenIn(run).filter(({ number }) => isOf(number));
  const again = taken.filter(({ next }) => next !== null);
  const own = again.filter(({ each }) => !isStalled(run, each));
  const missed = own.filter(({ each }) => isAnswerMissed(run, each));
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

function faultOf({ each, delivery, next }: Attempt, above: readonly Explanation[]) {
  const second = next ?? delivery;
  const what = `${nameOf({ each, delivery: second })} came after the 200`;
  return { what, above, ...seenOf(each, [delivery, second]), exchanges: [each.submission] };
}

/** @param missed Those whose answers their senders may not have seen. */
function excusesOf(
  run: WebhookRun,
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
 * it waits for then, as others are late then, the service's answers to requests among them.
 */
function isSenderHeld(
  run: WebhookRun,
  taken: readonly Attempt[],
  missed: readonly Attempt[],
): boolean {
  const tookMs = tookMsOf(run.cases);
  const usualMs = medianOf(tookMs);
  const lagsMs = run.cases.flatMap((each) => each.lagsMs);
  const seenMs = [...lagsMs, ...tookMs.map((ms) => ms - usualMs)];
  const late = seenMs.filter((ms) => ms >= stallMs(run)).length;
  const momentsIn = (some: readonly Attempt[]) => momentsOf(some, run.times.webhookAnswerMs);
  const moments = { count: momentsIn(missed), of: momentsIn(taken) };
  return mayStandStill(moments, { count: late, of: seenMs.length });
}

/** How many stretches as long as an answer may take they were delivered in. */
function momentsOf(attempts: readonly Attempt[], lengthMs: number): number {
  const timesMs = attempts.map(({ delivery }) => delivery.arrivedAtMs).sort((a, b) => a - b);
  let [count, endMs] = [0, Number.NEGATIVE_INFINITY];
  for (const atMs of timesMs) {
    if (atMs < endMs) continue;
    count += 1;
    endMs = atMs + lengthMs;
  }
  return count;
}

/** Ours: a retry is no sooner than this share of its wait. */
const RETRY_GAP_SHARE = 0.9;

/**
 * Whether a network may have lost the answer that was followed by a delivery, or a sender on a
 * machine that stalls have missed it: who got none sends again after the next wait, and is right.
 * A network does not lose two.
 */
function isAnswerMissed(
  { times, isLocal }: WebhookRun,
  { deliveries, lagsMs }: WebhookCase,
): boolean {
  const at = deliveries.findIndex(isTaken);
  // On this machine it may have been stamped late.
  const lateMs = isLocal ? STALL_LAGS * (lagsMs[at] ?? 0) : 0;
  const [sent, again] = [deliveries[at], deliveries[at + 1]];
  const wait = times.webhookWaits[at];
  if (sent === undefined || again === undefined || wait === undefined) return false;
  return again.arrivedAtMs - sent.arrivedAtMs >= wait.promisedMs * RETRY_GAP_SHARE - lateMs;
}

/** Of each job the first attempt that was answered 200, if that was at once. */
function takenIn(run: WebhookRun): readonly Attempt[] {
  const taken = attemptsOf(run.cases).filter(({ delivery }) => isTaken(delivery));
  return taken.filter(({ each, number, delivery }) => {
    return !each.deliveries.slice(0, number - 1).some(isTaken) && !isSlowSuccess(delivery);
  });
}

/** Watched longer than the next wait would have been, at least as long as any delivery. */
function isWatched({ times }: WebhookRun, { each, number }: Attempt): boolean {
  const next = times.webhookWaits[number - 1]?.promisedMs ?? 0;
  const neededMs = Math.max(ownMs(times, ONCE_WATCH_MS), next + ownMs(times, RETRY_GRACE_MS));
  return watchedMs(each) >= neededMs;
}

/** The first, and three retries. Spec §6. */
const ATTEMPTS_MAX = 4;

/** Ours: the silence after the last attempt, longer than the longest wait. */
export const SILENCE_MS = 310_000;

/** webhook.gives-up: there is no fifth attempt, whatever the fourth was answered. */
export function givesUpClaim(run: WebhookRun): Claim {
  const last = failedIn(run).filter(({ number }) => number === ATTEMPTS_MAX);
  const silent = last.filter(({ each, next }) => {
    return next === null && watchedMs(each) >= ownMs(run.times, SILENCE_MS);
  });
  return countedClaim({
    promise: "webhook.gives-up",
    faults: last.flatMap(({ each, next }) => {
      if (next === null) return [];
      const all = `${each.deliveries.length} attempts, promised ${ATTEMPTS_MAX} at the most`;
      return [{ what: `${all}: ${nameOf({ each, delivery: next })}`, ...seenOf(each, [next]) }];
    }),
    clean: silent.map(({ each, delivery }) => {
      return seenOf(each, [], { "ways to fail": failureText(delivery.answer) });
    }),
    of: "jobs",
    kept: `${count(silent.length, "job")}: no delivery after attempt ${ATTEMPTS_MAX}`,
    without:
      last.length === 0
        ? `no job was seen with ${ATTEMPTS_MAX} failed attempts`
        : `the ${SILENCE_MS / 1_000} s of silence after attempt ${ATTEMPTS_MAX} do not fit into ` +
          "this run",
    notTried: endsNotTried(silent.map(({ each }) => each)),
  });
}
