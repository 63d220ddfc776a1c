/** Within which time an answer counts. Spec §6, §8. */

import { counted } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Attempt } from "./attempts.ts";
import { attemptsOf, failedIn, isSlowSuccess } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { isProof, timesOf } from "./case.ts";
import { judgeOnce, judgeRecovers } from "./once.ts";
import { retryGraceMs, retryOf } from "./retried.ts";
import { groundsOf, nameOf } from "./witness.ts";

/**
 * A slow answer that is followed by a second delivery did not count, unless fast answers are, too;
 * a late one that is followed by none did count, unless no answer at all is followed by none. On
 * whichever attempt: the limit is the same for all.
 */
export function judgeAnswerTime(run: WebhookRun): Finding {
  const promise = "webhook.answer-time";
  const slow = attemptsOf(run.cases).filter((each) => isFirstSlow(each) && isClear(run, each));
  const inTime = slow.filter((each) => delayOf(each) < run.times.webhookAnswerMs);
  const tooLate = slow.filter((each) => delayOf(each) > run.times.webhookAnswerMs);
  if (slow.length === 0) return unobserved(promise, "no delivery was answered slowly");
  const impatient = inTime.filter(({ next }) => next !== null);
  const unmoved = tooLate.filter((each) => missedLate(run, each));
  const evidence = {
    inTime: inTime.map(({ each }) => timesOf(each)),
    tooLate: tooLate.map(({ each }) => timesOf(each)),
    onAttempt: counted(slow.map(({ number }) => String(number))),
    limitMs: run.times.webhookAnswerMs,
  };
  const grounds = (some: readonly Attempt[]) => {
    return groundsOf(
      evidence,
      some.map(({ each }) => each),
      { shown: some },
    );
  };
  const what = (text: string, [first]: readonly Attempt[]) =>
    first === undefined ? text : `${text} (${nameOf(first)})`;
  if (isProofOnAttempt(run, impatient, inTime)) {
    const text = "an answer within 10 s did not count: the delivery came again";
    const reason = "slow answers are followed by a second delivery, and so may fast ones be";
    return [judgeOnce, judgeRecovers].every((judge) => judge(run).verdict === "kept")
      ? broken(promise, what(text, impatient), grounds(impatient))
      : inconclusive(promise, `${reason} (see webhook.once, webhook.recovers)`, { evidence });
  }
  if (isProof(run, unmoved.length, tooLate.length)) {
    const text = "an answer after more than 10 s counted: no retry came";
    const reason = "late answers are not followed by a retry, and neither may failures be";
    return isRetrying(run)
      ? broken(promise, what(text, unmoved), grounds(unmoved))
      : inconclusive(promise, `${reason} (see webhook.retried)`, { evidence });
  }
  const settled = tooLate.filter(({ next }) => next !== null);
  if (impatient.length + unmoved.length > 0 || settled.length === 0 || inTime.length === 0) {
    return inconclusive(promise, "answer times were not seen on both sides of the limit", {
      evidence,
    });
  }
  return kept(
    promise,
    `${inTime.length} slow answers counted, ${settled.length} answers after the limit did not`,
    { evidence, strength: looksAt(inTime.length + settled.length, "answers") },
  );
}

/** Whether a further one came tells of the first of them only. */
function isFirstSlow({ each, delivery }: Attempt): boolean {
  return each.deliveries.find(isSlowSuccess) === delivery;
}

function delayOf({ delivery: { answer } }: Attempt): number {
  return answer.kind === "status" ? answer.delayMs : 0;
}

/** Whether all slow answers to the attempts of one number did not count. */
function isProofOnAttempt(
  run: WebhookRun,
  impatient: readonly Attempt[],
  inTime: readonly Attempt[],
): boolean {
  const numbers = counted(inTime.map(({ number }) => String(number)));
  const off = counted(impatient.map(({ number }) => String(number)));
  return Object.entries(off).some(([number, count]) => {
    const isAll = count === numbers[number];
    return isAll && (run.isLocal || count > 1 || count === inTime.length);
  });
}

/**
 * Whether the answer was there well before the limit, or well after it, or the sender hung up
 * before it could be; where the machine was late by as much as lay between, nothing is proved.
 */
function isClear(run: WebhookRun, attempt: Attempt): boolean {
  const { each, number, delivery } = attempt;
  const isTooLate = delayOf(attempt) > run.times.webhookAnswerMs;
  if (isTooLate && delivery.answeredAtMs === null) return true;
  const endedAtMs = delivery.answeredAtMs ?? delivery.hungUpAtMs;
  if (endedAtMs === null) return false;
  const apartMs = Math.abs(run.times.webhookAnswerMs - (endedAtMs - delivery.arrivedAtMs));
  const lagMs = Math.max(run.lagMs, each.lagsMs[number - 1] ?? 0);
  return apartMs * LATENESS_SHARE > Math.max(ownMs(run.times, CLOSE_MS), lagMs);
}

/** Ours: a delivery and its answer are late one after the other. */
const LATENESS_SHARE = 0.5;
/** Ours: an answer that is closer than twice this to the limit may be on either side of it. */
const CLOSE_MS = 200;

function missedLate(run: WebhookRun, { each, number, delivery, next }: Attempt): boolean {
  const { webhookAnswerMs, webhookWaits } = run.times;
  const wait = webhookWaits[number - 1];
  if (next !== null || wait === undefined) return false;
  const dueMs = webhookAnswerMs + 2 * wait.promisedMs;
  return each.watchedUntilMs - delivery.arrivedAtMs >= dueMs + retryGraceMs(run);
}

/** Whether what is not answered at all, or fails otherwise where none was so, is tried again. */
function isRetrying(run: WebhookRun): boolean {
  const failed = failedIn(run);
  const silent = failed.filter(({ delivery }) => delivery.answer.kind === "silent");
  return (silent.length > 0 ? silent : failed).some((each) => retryOf(run, each) === "seen");
}
