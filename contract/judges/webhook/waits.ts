/** How long the service waits before each retry, and that it stops. Spec §6, §8. */

import { ownMs } from "../../promised-times.ts";
import type { PromiseId } from "../../promises.ts";
import type { WaitBounds } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import {
  casesOf,
  isLostAnswer,
  isPrompt,
  isProofOfDelay,
  isStalled,
  isSuccessStep,
  STALL_LAGS,
  timesOf,
  watchedMs,
} from "./case.ts";
import { RETRY_GRACE_MS, retryOf } from "./retried.ts";

/** The first, and three retries. Spec §6. */
const ATTEMPTS_MAX = 4;

/** One wait of one job: bounds by either origin, the start or the end of the failed attempt. */
interface Wait {
  fromStartMs: number;
  fromEndMs: number;
  /** By so much it may be the machine that was late. */
  lagMs: number;
}

export function judgeWait(run: WebhookRun, index: 0 | 1 | 2): Finding {
  const promise = (["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const)[index];
  const waits = casesOf(run, "ladder", "recovery").flatMap((each) => waitOf(each, index) ?? []);
  if (waits.length === 0) return noWait(run, promise, index);
  const bounds = waitBounds(run, run.times.webhookWaits[index]);
  const evidence = {
    promisedMs: bounds.promisedMs,
    measuredMs: waits.map((wait) => Math.round(wait.fromEndMs)),
    lagMs: waits.map((wait) => Math.round(wait.lagMs)),
    toleratedMs: [Math.round(bounds.earliestMs), Math.round(bounds.latestMs)],
  };
  const measured = seconds(median(waits.map((wait) => wait.fromEndMs)));
  const text = `waited ${measured}, promised ${seconds(bounds.promisedMs)}`;
  const { off, isBroken, isDoubtful } = weigh(run, waits, bounds);
  if (isBroken) return broken(promise, text, { evidence });
  if (isDoubtful) {
    return inconclusive(promise, `${off} of ${waits.length} waits were off; ${text}`, { evidence });
  }
  return kept(promise, `${text}, ${waits.length} times`, { evidence });
}

/** What is tolerated of a wait in this run: by as much more as the suite itself was late. */
export function waitBounds({ lagMs }: WebhookRun, wait: WaitBounds): WaitBounds {
  return { ...wait, latestMs: wait.latestMs + lagMs };
}

/** Whether the waits outside of the bounds are the service's doing. */
function weigh(run: WebhookRun, waits: readonly Wait[], bounds: WaitBounds) {
  const early = waits.filter((wait) => wait.fromStartMs < bounds.earliestMs);
  const late = waits.filter((wait) => wait.fromEndMs > bounds.latestMs);
  const isOwn = (wait: Wait) => !isByStall(wait, bounds);
  const isOffAtMost =
    median(waits.map((wait) => wait.fromStartMs)) < bounds.earliestMs ||
    median(waits.map((wait) => wait.fromEndMs)) > bounds.latestMs - run.lagMs;
  return {
    off: early.length + late.length,
    isBroken: [early, late].some((off) => {
      return isProofOfDelay(run, off.length, waits.length) && off.some(isOwn);
    }),
    isDoubtful: isOffAtMost || [...early, ...late].some(isOwn),
  };
}

/**
 * Whether the machine alone may have moved it out of its bounds: a retry passes several threads,
 * each of which may have been that late; a delivery that was held up until it was stamped makes the
 * wait after it look short.
 */
function isByStall({ fromStartMs, fromEndMs, lagMs }: Wait, bounds: WaitBounds): boolean {
  const [shortMs, longMs] = [bounds.earliestMs - fromStartMs, fromEndMs - bounds.latestMs];
  return shortMs > 0 ? shortMs <= lagMs : longMs <= STALL_LAGS * lagMs;
}

function waitOf(each: WebhookCase, index: number): Wait | null {
  const failed = each.deliveries[index];
  const next = each.deliveries[index + 1];
  if (failed === undefined || next === undefined || !isPrompt(failed.answer)) return null;
  if (isSuccessStep(failed.answer)) return null;
  return {
    fromStartMs: next.arrivedAtMs - failed.arrivedAtMs,
    fromEndMs: next.arrivedAtMs - (failed.answeredAtMs ?? failed.arrivedAtMs),
    lagMs: each.lagsMs[index] ?? 0,
  };
}

function noWait(run: WebhookRun, promise: PromiseId, index: number): Finding {
  const ladders = casesOf(run, "ladder").filter((each) => each.deliveries.length > index);
  if (ladders.length === 0) return unobserved(promise, `no attempt ${index + 1} was seen to fail`);
  const missed = ladders.filter((each) => retryOf(run, each) === "missed");
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
  const silent = ladders.filter((each) => watchedMs(each) >= ownMs(run.times, SILENCE_MS));
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

export function judgeRecovers(run: WebhookRun): Finding {
  const promise = "webhook.recovers";
  const recovered = casesOf(run, "recovery").filter((each) => recoveryAt(each) !== null);
  if (recovered.length === 0) return unobserved(promise, "no retry was answered 200");
  const all = recovered.filter((each) => each.deliveries.length > (recoveryAt(each) ?? 0));
  const goingOn = all.filter((each) => !isStalled(run, each));
  const evidence = { jobs: recovered.length, arrivedMs: recovered.map(timesOf) };
  if (isLostAnswer(run, goingOn)) {
    const reason = "one series went on as if the answer 200 had been lost on the way";
    return inconclusive(promise, reason, { evidence });
  }
  if (goingOn.length > 0) {
    return broken(promise, `${goingOn.length} series went on after a retry was answered 200`, {
      evidence,
    });
  }
  if (all.length > 0) {
    const reason = "series went on while the machine was too busy to tell why";
    return inconclusive(promise, reason, { evidence });
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
  const next = run.times.webhookWaits[(recoveryAt(each) ?? 1) - 1]?.promisedMs ?? 0;
  const graceMs = ownMs(run.times, RETRY_GRACE_MS);
  return watchedMs(each) >= Math.max(ownMs(run.times, 35_000), next + graceMs);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 100_000 ? 2 : 1)} s`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
