/** How long the service waits before each retry, and that it stops. Spec §6, §8. */

import type { PromiseId } from "../../promises.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { WEBHOOK_RETRY_WAITS_MS } from "../../webhook-schedule.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import {
  casesOf,
  isLostAnswer,
  isPrompt,
  isProofOfDelay,
  isStalled,
  isSuccessStep,
  lagOf,
  STALL_LAGS,
  scaled,
  stallMs,
  timesOf,
  watchedMs,
} from "./case.ts";
import { RETRY_GRACE_MS, retryOf } from "./retried.ts";

const ATTEMPTS_MAX = WEBHOOK_RETRY_WAITS_MS.length + 1;

/** One wait of one job: bounds by either origin, the start or the end of the failed attempt. */
interface Wait {
  fromStartMs: number;
  fromEndMs: number;
  /** By so much it may be the machine that was late. */
  lagMs: number;
}

export function judgeWait(run: WebhookRun, index: 0 | 1 | 2): Finding {
  const promise = (["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const)[index];
  const statedMs = WEBHOOK_RETRY_WAITS_MS[index];
  const waits = casesOf(run, "ladder", "recovery").flatMap((each) => waitOf(each, index) ?? []);
  if (waits.length === 0) return noWait(run, promise, index);
  const bounds = waitBounds(run, statedMs);
  const evidence = {
    promisedMs: bounds.promisedMs,
    measuredMs: waits.map((wait) => Math.round(wait.fromEndMs)),
    lagMs: waits.map((wait) => Math.round(wait.lagMs)),
    toleratedMs: [Math.round(bounds.earliestMs), Math.round(bounds.latestMs)],
    timeScale: run.timeScale,
  };
  const measured = seconds(median(waits.map((wait) => wait.fromEndMs)) / run.timeScale);
  const scale = run.timeScale < 1 ? " (scaled)" : "";
  const text = `waited ${measured}, promised ${seconds(statedMs)}${scale}`;
  const { off, isBroken, isDoubtful } = weigh(run, waits, bounds);
  if (isBroken) return broken(promise, text, { evidence });
  if (isDoubtful) {
    return inconclusive(promise, `${off} of ${waits.length} waits were off; ${text}`, { evidence });
  }
  return kept(promise, `${text}, ${waits.length} times`, { evidence });
}

interface Bounds {
  promisedMs: number;
  earliestMs: number;
  latestMs: number;
}

/** For a wait that the specification states, on the service's clock; ms of real time. */
export function waitBounds(run: WebhookRun, statedMs: number): Bounds {
  const { webhookWaitEarlyMs, webhookWaitLateMs, webhookWaitLateShare } = run.tolerances;
  const lateMs = Math.max(webhookWaitLateMs, statedMs * webhookWaitLateShare);
  return {
    promisedMs: scaled(run, statedMs),
    earliestMs: scaled(run, statedMs - webhookWaitEarlyMs),
    latestMs: scaled(run, statedMs + lateMs) + lagOf(run),
  };
}

/** Whether the waits outside of the bounds are the service's doing. */
function weigh(run: WebhookRun, waits: readonly Wait[], bounds: Bounds) {
  const early = waits.filter((wait) => wait.fromStartMs < bounds.earliestMs);
  const late = waits.filter((wait) => wait.fromEndMs > bounds.latestMs);
  const unexplained = late.filter((wait) => isUnexplained(wait, bounds));
  const isLate = isProofOfDelay(run, late.length, waits.length) && isOwnDelay(run, waits, bounds);
  const clear = early.filter((wait) => !mayLookShort(run, wait, bounds));
  const measured = median(waits.map((wait) => wait.fromEndMs));
  return {
    off: early.length + late.length,
    // A delivery that was held up on its way makes the wait after it look short.
    isBroken: isLate || isProofOfDelay(run, clear.length, waits.length),
    isDoubtful: early.length + unexplained.length > 0 || measured > bounds.latestMs - lagOf(run),
  };
}

/** A retry passes several threads; each may have been that late. */
function isUnexplained(wait: Wait, { latestMs }: Bounds): boolean {
  return wait.fromEndMs > latestMs + STALL_LAGS * wait.lagMs;
}

/** A sender that was kept from an answer counts from when it gave up, which is before the stamp. */
function mayLookShort(run: WebhookRun, wait: Wait, { earliestMs }: Bounds): boolean {
  if (run.timeScale === 1 || wait.lagMs < stallMs(run)) return false;
  return earliestMs - wait.fromStartMs <= STALL_LAGS * wait.lagMs;
}

/** Ours: so many waits that agree are no chance. */
const STEADY_WAITS_MIN = 3;
const STEADY_SHARE = 0.25;

/**
 * Whether waits that are late are so by the service: they agree with each other, as a busy machine
 * scatters what it delays, and are later than it was, as waits side by side share one stall; or one
 * at least is later than what a stall explains.
 */
function isOwnDelay(run: WebhookRun, waits: readonly Wait[], bounds: Bounds): boolean {
  const someUnexplained = waits.some((wait) => isUnexplained(wait, bounds));
  if (run.timeScale === 1) return someUnexplained;
  const measured = waits.map((wait) => wait.fromEndMs);
  const least = Math.min(...measured);
  const [spreadMs, lateMs] = [median(measured) - least, least - bounds.promisedMs];
  const isMoreThanLag = lateMs > median(waits.map((wait) => wait.lagMs));
  const agree = waits.length >= STEADY_WAITS_MIN && spreadMs <= lateMs * STEADY_SHARE;
  const isSteady = agree && isMoreThanLag;
  return isSteady || (someUnexplained && spreadMs <= lateMs);
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
