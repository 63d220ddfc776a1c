/** When a failed delivery is tried again, and when no more. Spec §6, §8. */

import type { PromiseId } from "../../promises.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { WEBHOOK_ANSWER_LIMIT_MS, WEBHOOK_RETRY_WAITS_MS } from "../../webhook-schedule.ts";
import type { CaseKind, WebhookCase, WebhookRun } from "./case.ts";
import { casesOf, isPrompt, isSuccessStep, lagOf, scaled, timesOf } from "./case.ts";
import { watchedMs } from "./deliveries.ts";

const ATTEMPTS_MAX = WEBHOOK_RETRY_WAITS_MS.length + 1;
/** Ours: a retry that is not there after twice its wait and this is none. */
const RETRY_GRACE_MS = 5_000;

const FAILING: readonly [CaseKind, string][] = [
  ["ladder", "an answer 500"],
  ["not-found", "an answer 404"],
  ["reset", "a reset connection"],
  ["silent", "no answer"],
  ["refused", "a refused connection"],
];

export function judgeRetried(run: WebhookRun): Finding {
  const promise = "webhook.retried";
  const tried = FAILING.flatMap(([kind, what]) =>
    casesOf(run, kind)
      .filter((each) => each.deliveries.length > 0 || (kind === "refused" && each.endKnownAtMs))
      .map((each) => ({ each, what, missed: missedRetry(run, each) })),
  );
  if (tried.length === 0) return unobserved(promise, "no delivery could be made to fail");
  const missed = tried.filter((one) => one.missed === "missed");
  const kinds = [...new Set(tried.map(({ what }) => what))];
  const evidence = { deliveries: tried.length, kinds, missed: missed.map(({ what }) => what) };
  if (missed.length > 0) {
    const after = [...new Set(missed.map(({ what }) => what))].join(", ");
    return broken(promise, `not tried again after ${after}`, {
      evidence: { ...evidence, arrivedMs: missed.map(({ each }) => timesOf(each)) },
      exchanges: missed.map(({ each }) => each.submission),
    });
  }
  if (tried.every((one) => one.missed === "unknown")) {
    return inconclusive(promise, "the run ended before a retry was due", { evidence });
  }
  return kept(promise, `tried again after ${kinds.join(", ")}`, { evidence });
}

/** Whether a retry that was due did not come; unknown when the watch ended too early to tell. */
function missedRetry(run: WebhookRun, each: WebhookCase): "missed" | "seen" | "unknown" {
  const attempts = each.deliveries.length + (each.kind === "refused" ? 1 : 0);
  const wait = WEBHOOK_RETRY_WAITS_MS[attempts - 1];
  const isOver = isSuccessStep(each.deliveries.at(-1)?.answer) && attempts > 1;
  if (wait === undefined || isOver) return "seen";
  const graceMs = Math.max(scaled(run, RETRY_GRACE_MS), 500) + run.lagMs;
  const unanswered = each.kind === "silent" ? WEBHOOK_ANSWER_LIMIT_MS : 0;
  const dueMs = scaled(run, 2 * wait + unanswered) + graceMs;
  const sinceMs =
    each.deliveries.length > 0
      ? watchedMs(each)
      : each.watchedUntilMs - (each.endKnownAtMs ?? each.watchedUntilMs);
  if (sinceMs >= dueMs) return "missed";
  return attempts > 1 ? "seen" : "unknown";
}

/** One wait of one job: bounds by either origin, the start or the end of the failed attempt. */
interface Wait {
  fromStartMs: number;
  fromEndMs: number;
  arrivedMs: readonly number[];
}

export function judgeWait(run: WebhookRun, index: 0 | 1 | 2): Finding {
  const promise = (["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const)[index];
  const promisedMs = WEBHOOK_RETRY_WAITS_MS[index];
  const waits = casesOf(run, "ladder", "recovery").flatMap((each) => waitOf(each, index) ?? []);
  if (waits.length === 0) return noWait(run, promise, index);
  const { tolerances } = run;
  const earliest = scaled(run, promisedMs - tolerances.webhookWaitEarlyMs);
  const late = Math.max(tolerances.webhookWaitLateMs, promisedMs * tolerances.webhookWaitLateShare);
  const latest = scaled(run, promisedMs + late) + lagOf(run);
  const early = waits.filter((wait) => wait.fromStartMs < earliest);
  const tardy = waits.filter((wait) => wait.fromEndMs > latest);
  const evidence = {
    promisedMs: scaled(run, promisedMs),
    measuredMs: waits.map((wait) => Math.round(wait.fromEndMs)),
    toleratedMs: [Math.round(earliest), Math.round(latest)],
    timeScale: run.timeScale,
  };
  const measured = `${seconds(median(waits.map((wait) => wait.fromEndMs)) / run.timeScale)}`;
  const text =
    `waited ${measured}, promised ` +
    `${seconds(promisedMs)}${run.timeScale < 1 ? " (scaled)" : ""}`;
  const outside = [...early, ...tardy];
  if (outside.length > 0 && (run.timeScale === 1 || outside.length === waits.length)) {
    return broken(promise, text, { evidence });
  }
  if (outside.length > 0) {
    return inconclusive(promise, `${outside.length} of ${waits.length} waits were off; ${text}`, {
      evidence,
    });
  }
  return kept(promise, `${text}, ${waits.length} times`, { evidence });
}

function waitOf(each: WebhookCase, index: number): Wait | null {
  const failed = each.deliveries[index];
  const next = each.deliveries[index + 1];
  if (failed === undefined || next === undefined || !isPrompt(failed.answer)) return null;
  if (isSuccessStep(failed.answer)) return null;
  return {
    fromStartMs: next.arrivedAtMs - failed.arrivedAtMs,
    fromEndMs: next.arrivedAtMs - (failed.answeredAtMs ?? failed.arrivedAtMs),
    arrivedMs: timesOf(each),
  };
}

function noWait(run: WebhookRun, promise: PromiseId, index: number): Finding {
  const ladders = casesOf(run, "ladder").filter((each) => each.deliveries.length > index);
  if (ladders.length === 0) return unobserved(promise, `no attempt ${index + 1} was seen to fail`);
  const missed = ladders.filter((each) => missedRetry(run, each) === "missed");
  if (missed.length > 0) {
    return inconclusive(promise, `attempt ${index + 2} never came (see webhook.retried)`);
  }
  return unobserved(promise, `wait ${index + 1} is longer than this run watches`);
}

/** Ours: the silence after the last attempt, longer than the longest wait. */
export const SILENCE_MS = 310_000;

export function judgeGivesUp(run: WebhookRun): Finding {
  const promise = "webhook.gives-up";
  const ladders = casesOf(run, "ladder").filter((each) => each.deliveries.length >= ATTEMPTS_MAX);
  if (ladders.length === 0) {
    return unobserved(promise, `no job was seen with ${ATTEMPTS_MAX} failed attempts`);
  }
  const endless = ladders.filter((each) => each.deliveries.length > ATTEMPTS_MAX);
  const evidence = { jobs: ladders.length, arrivedMs: ladders.map(timesOf) };
  if (endless.length > 0) {
    const most = Math.max(...endless.map((each) => each.deliveries.length));
    return broken(promise, `${most} attempts, promised ${ATTEMPTS_MAX} at the most`, { evidence });
  }
  const silent = ladders.filter((each) => watchedMs(each) >= scaled(run, SILENCE_MS));
  if (silent.length === 0) {
    return unobserved(
      promise,
      `the ${SILENCE_MS / 1_000} s of silence after attempt ${ATTEMPTS_MAX} do not fit into ` +
        `this run`,
    );
  }
  return kept(promise, `${silent.length} jobs: silence after attempt ${ATTEMPTS_MAX}`, {
    evidence,
  });
}

export function judgeAnswerTime(run: WebhookRun): Finding {
  const promise = "webhook.answer-time";
  const inTime = casesOf(run, "in-time").filter((each) => isAnsweredBefore(run, each));
  const tooLate = casesOf(run, "too-late").filter((each) => each.deliveries.length > 0);
  if (inTime.length === 0 && tooLate.length === 0) {
    return unobserved(promise, "no delivery was answered slowly");
  }
  const impatient = inTime.filter((each) => each.deliveries.length > 1);
  const unmoved = tooLate.filter((each) => missedLate(run, each));
  const evidence = {
    inTime: inTime.map(timesOf),
    tooLate: tooLate.map(timesOf),
    limitMs: scaled(run, WEBHOOK_ANSWER_LIMIT_MS),
  };
  if (isMost(run, impatient, inTime)) {
    return broken(promise, "an answer within 10 s did not count: the delivery came again", {
      evidence,
    });
  }
  if (isMost(run, unmoved, tooLate)) {
    return broken(promise, "an answer after more than 10 s counted: no retry came", { evidence });
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

/** On a fast clock a busy machine can delay any one answer; there most must agree. */
function isMost(run: WebhookRun, some: readonly unknown[], all: readonly unknown[]): boolean {
  return some.length > 0 && (run.timeScale === 1 || some.length * 2 > all.length);
}

/** The receiver itself may be late with an answer: then the case proves nothing. */
function isAnsweredBefore(run: WebhookRun, each: WebhookCase): boolean {
  const first = each.deliveries[0];
  if (first?.answeredAtMs == null) return first !== undefined && each.deliveries.length > 1;
  return first.answeredAtMs - first.arrivedAtMs < scaled(run, WEBHOOK_ANSWER_LIMIT_MS * 0.96);
}

function missedLate(run: WebhookRun, each: WebhookCase): boolean {
  const first = each.deliveries[0];
  if (first === undefined || each.deliveries.length > 1) return false;
  const dueMs = scaled(run, WEBHOOK_ANSWER_LIMIT_MS + 2 * WEBHOOK_RETRY_WAITS_MS[0]);
  const graceMs = Math.max(scaled(run, RETRY_GRACE_MS), 500) + run.lagMs;
  return each.watchedUntilMs - first.arrivedAtMs >= dueMs + graceMs;
}

export function judgeRecovers(run: WebhookRun): Finding {
  const promise = "webhook.recovers";
  const recovered = casesOf(run, "recovery").filter((each) => recoveryAt(each) !== null);
  if (recovered.length === 0) return unobserved(promise, "no retry was answered 200");
  const goingOn = recovered.filter((each) => each.deliveries.length > (recoveryAt(each) ?? 0));
  const evidence = { jobs: recovered.length, arrivedMs: recovered.map(timesOf) };
  if (goingOn.length > 0) {
    return broken(promise, `${goingOn.length} series went on after a retry was answered 200`, {
      evidence,
    });
  }
  const rungs = [...new Set(recovered.filter((each) => isSettled(run, each)).map(recoveryAt))];
  if (rungs.length === 0) {
    return inconclusive(promise, "not watched for long enough after the 200", { evidence });
  }
  return kept(promise, `series ended with the 200 on attempt ${rungs.join(", ")}`, { evidence });
}

/** Number of the attempt that was answered 200; null when it has not come. */
function recoveryAt(each: WebhookCase): number | null {
  const at = each.deliveries.findIndex((delivery) => isSuccessStep(delivery.answer));
  return at < 0 ? null : at + 1;
}

/** Watched longer than the next wait would have been, at least 35 s. */
function isSettled(run: WebhookRun, each: WebhookCase): boolean {
  const next = WEBHOOK_RETRY_WAITS_MS[(recoveryAt(each) ?? 1) - 1] ?? 0;
  return watchedMs(each) >= scaled(run, Math.max(35_000, next + RETRY_GRACE_MS));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 100_000 ? 2 : 1)} s`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
