/** Judges what a cancel request did to a queued, a running and an ended job. */

import { jobIn } from "../decode/job.ts";
import type { JobHistory } from "../jobs/job-history.ts";
import { FORBIDDEN, judgeWrongKey } from "../judges/auth.ts";
import type { CancelTrial } from "../judges/cancel/cancel-trial.ts";
import {
  cancelEffectMs,
  EFFECT_MS_MAX,
  isUnderstood,
  judgeCancel,
} from "../judges/cancel/index.ts";
import type { StatusCase } from "../judges/expected-status.ts";
import { UNAUTHORIZED } from "../judges/expected-status.ts";
import type { CancelSeen } from "../judges/steps.ts";
import { BUDGET_ENDED } from "../limits/budget.ts";
import { isBefore } from "../requests/exchange.ts";
import type { PromisedTimes } from "../run/run-plan.ts";
import { ownMs } from "../time/promised-times.ts";
import type { Finding } from "../verdict.ts";

const tooLate = (which: string) =>
  `other jobs took so long that the run's time was over before a ${which} one was cancelled`;

/** `jobs`: as they were seen by the end of the run, those of the trials among them. */
export function judgeCancels(
  seen: CancelSeen,
  times: PromisedTimes,
  jobs: readonly JobHistory[],
): readonly Finding[] {
  const { running, terminal, methodUnknown, isOutOfTime = false } = seen;
  const queued = seen.queued.map((trial) => withLaterPolls(trial, jobs));
  const telling = methodUnknown ? [] : queued;
  const exhausted = seen.exhausted ? `; ${seen.whyExhausted ?? BUDGET_ENDED}` : "";
  const late = (which: string) => (isOutOfTime ? tooLate(which) : null);
  const unknown = "none of the requests that were tried cancelled a queued job";
  const told = (without: string) => ({
    methodWorks: isUnderstood(telling),
    effectMs: cancelEffectMs(telling),
    latestMs: ownMs(times, EFFECT_MS_MAX),
    methodUnknown,
    without,
  });
  const allRan = `no job was seen queued: the slow jobs all ran at once${exhausted}`;
  const noneRan = methodUnknown ? unknown : `no job was seen running${exhausted}`;
  const noneEnded = `no completed job was there to be cancelled${exhausted}`;
  return [
    judgeCancel("cancel.queued", queued, told(late("queued") ?? allRan)),
    judgeCancel("cancel.not-running", running, {
      ...told(late("running") ?? noneRan),
      othersRanMs: othersRanMs(running, jobs),
    }),
    judgeCancel("cancel.not-terminal", terminal, told(methodUnknown ? unknown : noneEnded)),
  ];
}

/** Of the workers of these trials the shortest run; null where none completed, or one failed. */
function othersRanMs(trials: readonly CancelTrial[], jobs: readonly JobHistory[]): number | null {
  const workers = new Set(trials.map(({ before }) => jobIn(before)?.workerId));
  const others = jobs.filter(({ workerId, cancelRequests }) => {
    return workers.has(workerId) && cancelRequests.length === 0;
  });
  const seen = others.flatMap(({ polls }) => polls.flatMap((poll) => jobIn(poll) ?? []));
  const completed = seen.filter(({ state }) => state === "completed");
  if (completed.length === 0 || seen.some(({ state }) => state === "failed")) return null;
  return Math.min(...completed.map(({ durationMs }) => durationMs ?? 0));
}

/** Of a job that its request cancelled: what other steps saw of it after the trial counts, too. */
function withLaterPolls(trial: CancelTrial, jobs: readonly JobHistory[]): CancelTrial {
  const { jobId, after } = trial;
  const last = after.at(-1);
  const own = jobs.find(({ issuedId }) => issuedId === jobId);
  const isCancelled = after.some((poll) => jobIn(poll)?.state === "cancelled");
  if (last === undefined || own === undefined || !isCancelled) return trial;
  return { ...trial, after: [...after, ...own.polls.filter((poll) => isBefore(last, poll))] };
}

/**
 * Of an ended job, so that nothing comes of it; nothing where the keys are refused. Whoever came
 * with many unknown keys before may be held off, and be told 403 for that.
 */
export function judgeWrongCancels(seen: CancelSeen): readonly Finding[] {
  const { revokedKey = [] } = seen;
  const unknownKeys = [...(seen.ofWaiting ?? []), ...(seen.unknownKeys ?? [])];
  const isHeldOff = [unknownKeys, revokedKey].some(mayBeHeldOff);
  const told = (cases: readonly StatusCase[]) =>
    cases.filter((each) => !isHeldOff || statusOf(each) !== FORBIDDEN);
  return [
    judgeWrongKey("auth.invalid-key", [], told(unknownKeys)),
    judgeWrongKey("auth.revoked-key", [], told(revokedKey)),
  ].filter(({ verdict }) => verdict === "broken");
}

/** What the requests with unknown keys did not include. */
export function wrongCancelsNotTried(all: readonly CancelSeen[]): readonly string[] {
  const isTried = all.some(({ ofWaiting = [] }) => ofWaiting.some(statusOf));
  return isTried ? [] : ["a cancel of a queued job"];
}

/**
 * Whoever is held off is so at the account as well. Each instance may do it by its own count: then
 * some cancels are refused as ever.
 */
function mayBeHeldOff(cases: readonly StatusCase[]): boolean {
  const forbidden = cases.filter((each) => statusOf(each) === FORBIDDEN);
  const isMixed = cases.some((each) => statusOf(each) === UNAUTHORIZED);
  const areAllAnswered = forbidden.every(({ meanwhile }) => meanwhile?.status === UNAUTHORIZED);
  return forbidden.length > 0 && (isMixed || !areAllAnswered);
}

function statusOf({ attempts }: StatusCase): number | null {
  return attempts.at(-1)?.status ?? null;
}
