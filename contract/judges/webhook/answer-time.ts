/** webhook.answer-time: within which time an answer counts. Spec §6, §8. */

import type { Claim, Explanation } from "../../judging/claim.ts";
import { anything, anythingIf, countedClaim } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import { countText } from "../../numbers/figures.ts";
import { ownMs } from "../../time/promised-times.ts";
import { failureText, isSlowSuccess } from "./attempts.ts";
import { ALIKE_MIN, worstLagMs } from "./case.ts";
import { byLateAttempt, openedForMs } from "./late-attempt.ts";
import { longestWayMs } from "./network.ts";
import { retryGraceMs, retryOf } from "./retried.ts";
import { onceClaim, recoversClaim } from "./silence.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { freeMs, nameOf } from "./timeline.ts";
import { seenOf } from "./witness.ts";

/** Of a slow answer: `pending` where the watch ended before a retry of a late one was due. */
type Standing = "counted" | "repeated" | "retried" | "unmoved" | "pending";

/**
 * A slow answer that is followed by a second delivery did not count, unless fast answers are, too;
 * a late one that is followed by none did count, unless no answer at all is followed by none. On
 * whichever attempt: the limit is the same for all.
 */
export function answerTimeClaim(run: WebhookTimeline): Claim {
  const wayMs = sendersWayMs(run);
  const slow = run.numbered.filter((each) => isFirstSlow(each) && isClear(run, each, wayMs));
  const of = (wanted: Standing) => slow.filter((each) => standingOf(run, each) === wanted);
  const [counted, repeated, retried, unmoved] = [
    of("counted"),
    of("repeated"),
    of("retried"),
    of("unmoved"),
  ];
  const isOneSided =
    counted.length + repeated.length === 0 || retried.length + unmoved.length === 0;
  const sides = "response times were not observed on both sides of the limit";
  const seen = (attempt: Attempt, side: string) => {
    const trait = `${side}${bodyOf(attempt)} on attempt ${attempt.number}`;
    const traits = [trait, `a response after ${attempt.takesMs} ms`];
    return { ...seenOf(attempt.each, [attempt], { answers: trait }), traits };
  };
  return countedClaim({
    promise: "webhook.answer-time",
    faults: [
      ...repeated.map((each) => ({
        what: `a response within 10 s did not count: ${nameOf(each)} came again`,
        above: [
          ...againExcuse(run),
          ...outlasted(each, counted),
          ...lateSender(run, each),
          ...stillSender(run, each),
        ],
        ...seen(each, "in time"),
      })),
      ...unmoved.map((each) => ({
        what: `a response after more than 10 s counted: ${nameOf(each)} was not retried`,
        // Who has hung up took no response, however late it was.
        above: [
          ...unmovedExcuse(run, retried),
          ...(each.delivery.hungUpAtMs === null ? stillSender(run, each) : []),
        ],
        ...seen(each, "too late"),
      })),
    ],
    open: of("pending").map((each) => ({
      what: `the run ended before a retry of ${nameOf(each)} was due`,
    })),
    clean: [
      ...counted.map((each) => seen(each, "in time")),
      ...retried.map((each) => seen(each, "too late")),
    ],
    of: "responses",
    kept:
      `${countText(counted.length, "slow response")} within the limit counted, ` +
      `${countText(retried.length, "response")} after it did not`,
    without: "no delivery was answered slowly",
    hidden: anythingIf(isOneSided, "too little seen", sides),
    quorum: { alike: run.isLocal ? 1 : ALIKE_MIN },
    evidence: { limitMs: run.times.webhookAnswerMs },
  });
}

/** Where fast answers are followed by a second delivery as well, time has nothing to do with it. */
function againExcuse(run: WebhookTimeline): readonly Explanation[] {
  const isFine = [onceClaim, recoversClaim].every((claimOf) => {
    return decide(claimOf(run)).verdict === "kept";
  });
  const why =
    "fast responses may be followed by another attempt, too (see webhook.once, webhook.recovers)";
  const explainedBy = [{ promise: "webhook.once" }, { promise: "webhook.recovers" }] as const;
  return isFine ? [] : [{ ...anything("another fault", why), explainedBy }];
}

/** A limit on the time lets nothing pass that takes longer; that of a retry may be another one. */
function outlasted(attempt: Attempt, counted: readonly Attempt[]): readonly Explanation[] {
  const isLonger = counted.some(
    (other) =>
      other.number === attempt.number &&
      bodyOf(other) === bodyOf(attempt) &&
      other.takesMs >= attempt.takesMs,
  );
  const why = "a response to another job's delivery took as long, and counted";
  return anythingIf(isLonger, "another fault", why);
}

/**
 * A sender on this machine that is held up between its clock's start and the connection hangs up
 * too soon: by no more than any thread was late in this run, as nothing tells of its own.
 */
function lateSender(run: WebhookTimeline, { delivery }: Attempt): readonly Explanation[] {
  const { arrivedAtMs, hungUpAtMs } = delivery;
  if (!run.isLocal || hungUpAtMs === null) return [];
  const why = "its sender may have been held up on this machine before it connected";
  const leftMs = run.times.webhookAnswerMs - (hungUpAtMs - arrivedAtMs);
  return leftMs > worstLagMs(run) ? [] : [anything("host lag", why)];
}

/**
 * A sender that stands still with its service when the time for an answer is over, by a clock that
 * it may have started before it stood still and sent, misses what came meanwhile, or takes it.
 */
function stillSender(run: WebhookTimeline, attempt: Attempt): readonly Explanation[] {
  const { arrivedAtMs, hungUpAtMs } = attempt.delivery;
  const byStill = byLateAttempt(run, attempt).filter(({ cause }) => cause === "standstill");
  const heldUpMs = openedForMs(run, attempt) + Math.max(0, ...byStill.map((by) => by.atMost));
  const lateMs = heldUpMs + ownMs(run.times, CLOSE_MS);
  const overMs = arrivedAtMs + run.times.webhookAnswerMs;
  const isStill =
    hungUpAtMs === null
      ? run.still.some(({ fromMs, toMs }) => fromMs <= overMs && toMs >= overMs - lateMs)
      : run.still.length > 0 && overMs - hungUpAtMs <= lateMs;
  const why = "the service stood still while the response was due";
  return anythingIf(isStill, "standstill", why);
}

/** Where other late ones were retried, and retries get lost, it is one that got lost. */
function unmovedExcuse(run: WebhookTimeline, retried: readonly Attempt[]): readonly Explanation[] {
  const isLost = !isRetrying(run) || (retried.length > 0 && losesRetries(run));
  const why = "failures may not be retried either (see webhook.retried)";
  const explainedBy = [{ promise: "webhook.retried" }] as const;
  return isLost ? [{ ...anything("another fault", why), explainedBy }] : [];
}

/** Whether a further one came tells of the first of them only. */
function isFirstSlow({ each, delivery }: Attempt): boolean {
  return each.deliveries.find(isSlowSuccess) === delivery;
}

/** What a sender does about a body need not be what it does about an answer. */
function bodyOf({ delivery: { answer } }: Attempt): string {
  return answer.kind === "status" && answer.bodyMs !== undefined ? " with a slow body" : "";
}

/**
 * What connecting and the way there and back take at the most, all of which a sender may count into
 * the time for an answer: what the first waits after an answer took more than promised, as far as
 * that is tolerated or the way explains it. On one machine it is next to nothing.
 */
function sendersWayMs(run: WebhookTimeline): number {
  if (run.isLocal) return 0;
  const { promisedMs, latestMs } = run.times.webhookWaits[0];
  const longestMs = longestWayMs(run);
  const moreMs = run.failed.flatMap(({ number, delivery, waitedMs }) => {
    if (number > 1 || waitedMs === null || delivery.answer.kind !== "status") return [];
    return [waitedMs.low - promisedMs];
  });
  return Math.max(longestMs, ...moreMs.filter((ms) => ms <= latestMs - promisedMs + longestMs));
}

/**
 * Whether the answer was there well before the limit, or well after it, or the sender hung up
 * before it could be; where machine or way were late by as much as lay between, nothing is proved.
 */
function isClear(run: WebhookTimeline, attempt: Attempt, wayMs: number): boolean {
  const { delivery, overAtMs } = attempt;
  const isTooLate = attempt.takesMs > run.times.webhookAnswerMs;
  if (isTooLate && delivery.answeredAtMs === null) return true;
  const { answeredAtMs, hungUpAtMs } = delivery;
  const endedAtMs = answeredAtMs === null ? hungUpAtMs : overAtMs;
  if (endedAtMs === null) return false;
  const leftMs = run.times.webhookAnswerMs - (endedAtMs - delivery.arrivedAtMs);
  const apartMs = isTooLate ? -leftMs : leftMs - wayMs;
  const lagMs = Math.max(run.lagMs, attempt.lagMs);
  return apartMs * LATENESS_SHARE > Math.max(ownMs(run.times, CLOSE_MS), lagMs);
}

/** Ours: a delivery and its answer are late one after the other. */
const LATENESS_SHARE = 0.5;
/** Ours: an answer that is closer than twice this to the limit may be on either side of it. */
const CLOSE_MS = 200;

/** null for an answer right at the limit. */
function standingOf(run: WebhookTimeline, attempt: Attempt): Standing | null {
  const { each, delivery, wait, next } = attempt;
  const { webhookAnswerMs } = run.times;
  const lateMs = attempt.takesMs - webhookAnswerMs;
  if (lateMs === 0) return null;
  if (lateMs < 0) return next === null ? "counted" : "repeated";
  if (next !== null) return "retried";
  if (wait === null) return "pending";
  const dueMs = webhookAnswerMs + 2 * wait.promisedMs + retryGraceMs(run);
  const watchedMs = freeMs(run, { fromMs: delivery.arrivedAtMs, toMs: each.watchedUntilMs });
  return watchedMs >= dueMs ? "unmoved" : "pending";
}

/** Whether what is not answered at all, or fails otherwise where none was so, is tried again. */
function isRetrying(run: WebhookTimeline): boolean {
  const { failed } = run;
  const silent = failed.filter(({ delivery }) => delivery.answer.kind === "silent");
  return (silent.length > 0 ? silent : failed).some((each) => retryOf(run, each) === "seen");
}

/** Whether a way to fail was followed by a retry once, and by none another time. */
function losesRetries(run: WebhookTimeline): boolean {
  const after = (wanted: ReturnType<typeof retryOf>) => {
    const failed = run.failed.filter((each) => retryOf(run, each) === wanted && each.wait !== null);
    return new Set(failed.map(({ delivery }) => failureText(delivery.answer)));
  };
  const seen = after("seen");
  return [...after("missed")].some((way) => seen.has(way));
}
