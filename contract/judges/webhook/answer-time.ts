/** Within which time an answer counts. Spec §6, §8. */

import { ownMs } from "../../promised-times.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { casesOf, isProof, timesOf } from "./case.ts";
import { judgeOnce } from "./deliveries.ts";
import { retryGraceMs, retryOf } from "./retried.ts";

/**
 * A slow answer that is followed by a second delivery did not count, unless fast answers are, too;
 * a late one that is followed by none did count, unless no answer at all is followed by none.
 */
export function judgeAnswerTime(run: WebhookRun): Finding {
  const promise = "webhook.answer-time";
  const inTime = casesOf(run, "in-time").filter((each) => isClearOfLimit(run, each));
  const tooLate = casesOf(run, "too-late").filter((each) => isClearOfLimit(run, each));
  if (inTime.length === 0 && tooLate.length === 0) {
    return unobserved(promise, "no delivery was answered slowly");
  }
  const impatient = inTime.filter((each) => each.deliveries.length > 1);
  const unmoved = tooLate.filter((each) => missedLate(run, each));
  const evidence = {
    inTime: inTime.map(timesOf),
    tooLate: tooLate.map(timesOf),
    limitMs: run.times.webhookAnswerMs,
  };
  if (impatient.length > 0 && impatient.length === inTime.length) {
    const reason = "slow answers are followed by a second delivery, and so may fast ones be";
    return judgeOnce(run).verdict === "kept"
      ? broken(promise, "an answer within 10 s did not count: the delivery came again", {
          evidence,
        })
      : inconclusive(promise, `${reason} (see webhook.once)`, { evidence });
  }
  if (isProof(run, unmoved.length, tooLate.length)) {
    const reason = "late answers are not followed by a retry, and neither may failures be";
    return isRetrying(run)
      ? broken(promise, "an answer after more than 10 s counted: no retry came", { evidence })
      : inconclusive(promise, `${reason} (see webhook.retried)`, { evidence });
  }
  const settled = tooLate.filter((each) => each.deliveries.length > 1);
  if (impatient.length + unmoved.length > 0 || settled.length === 0 || inTime.length === 0) {
    return inconclusive(promise, "answer times were not seen on both sides of the limit", {
      evidence,
    });
  }
  return kept(
    promise,
    `${inTime.length} slow answers counted, ${settled.length} answers after the limit did not`,
    { evidence },
  );
}

/**
 * Whether the answer was there well before the limit, or well after it, or the sender hung up
 * before it could be; where the machine was late by as much as lay between, nothing is proved.
 */
function isClearOfLimit(run: WebhookRun, each: WebhookCase): boolean {
  const first = each.deliveries[0];
  if (first === undefined) return false;
  if (each.kind === "too-late" && first.answeredAtMs === null) return true;
  const endedAtMs = first.answeredAtMs ?? first.hungUpAtMs;
  if (endedAtMs === null) return false;
  const apartMs = Math.abs(run.times.webhookAnswerMs - (endedAtMs - first.arrivedAtMs));
  const lagMs = Math.max(run.lagMs, each.lagsMs[0] ?? 0);
  return apartMs * LATENESS_SHARE > Math.max(ownMs(run.times, CLOSE_MS), lagMs);
}

/** Ours: a delivery and its answer are late one after the other. */
const LATENESS_SHARE = 0.5;
/** Ours: an answer that is closer than twice this to the limit may be on either side of it. */
const CLOSE_MS = 200;

function missedLate(run: WebhookRun, each: WebhookCase): boolean {
  const first = each.deliveries[0];
  if (first === undefined || each.deliveries.length > 1) return false;
  const { webhookAnswerMs, webhookWaits } = run.times;
  const dueMs = webhookAnswerMs + 2 * webhookWaits[0].promisedMs;
  return each.watchedUntilMs - first.arrivedAtMs >= dueMs + retryGraceMs(run);
}

/** Whether what is not answered at all, or fails otherwise where none was so, is tried again. */
function isRetrying(run: WebhookRun): boolean {
  const silent = casesOf(run, "silent").filter((each) => each.deliveries.length > 0);
  const failed = silent.length > 0 ? silent : casesOf(run, "ladder", "not-found", "recovery");
  return failed.some((each) => retryOf(run, each) === "seen");
}
