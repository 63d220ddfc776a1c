/**
 * Judges what a cancel request does to a job; what counts is the state reached. Spec §3.2, §4.6.
 */

import { decodeJob, jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Explanation } from "../../judging/claim.ts";
import { anything, anythingIf } from "../../judging/claim.ts";
import { judgeCounted } from "../../judging/decide.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isClientError, isSuccess, jsonBody } from "../../requests/exchange.ts";
import { isTerminal, isWaiting } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import { VIEW_LAG_MS } from "../job/reading.ts";
import { hadStarted, hasNoRun, mayHaveStarted, traceOfRun } from "./cancel-run.ts";
import type { CancelTrial } from "./cancel-trial.ts";
import { cancelsNotTried, readable, saysCancelled } from "./cancel-trial.ts";
import { endChange } from "./end-change.ts";

/**
 * `started`: it began before the request was answered: what queues for no longer than that can't be
 * cancelled. `byRequest`: what another request than that one may explain.
 */
type Reading =
  | "kept"
  | "race"
  | "started"
  | { fault: string; byRequest?: boolean; otherwise?: Explanation | null | undefined };

export interface CancelContext {
  /** Why there may be no trial. */
  without: string;
  /** True where nobody said which request cancels, and none of those tried did. */
  methodUnknown: boolean;
  /** Whether such a request is known to be understood. */
  methodWorks: boolean;
  /** How long after its request a cancel was seen to show; left out: at once. */
  effectMs?: number;
  /** What does not show so long after its request has no effect; left out: in real time. */
  latestMs?: number;
  /**
   * The shortest run in ms of the same worker's jobs that nobody cancelled and that completed; null
   * or left out where none did, or one failed.
   */
  othersRanMs?: number | null;
}

/** Ours: a view may lag, and the request may take effect later; what takes longer takes none. */
export const EFFECT_MS_MAX = VIEW_LAG_MS + 3_000;

/** Method Not Allowed and Not Implemented. RFC 9110, 15.5.6 and 15.6.2. */
const OTHER_METHOD: readonly number[] = [405, 501];

/** Whether the answer says that the service has no such method, so that it can't be the one. */
export function isOtherMethod({ status }: Pick<Exchange, "status">): boolean {
  return OTHER_METHOD.includes(status);
}

/** What is said of trials that show nothing wrong, and of those that show nothing. */
const WORDS = {
  "cancel.queued": {
    kept: "a queued job was cancelled and never ran",
    race: "each job started before the request arrived, or what came of it was not seen",
  },
  "cancel.not-running": {
    kept: "a running job went on to its end",
    race: "each job ended before the request could take effect, or was not seen to its end",
  },
  "cancel.not-terminal": {
    kept: "an ended job stayed as it was",
    race: "the ended job could not be read again after the request",
  },
} as const;

export type CancelPromise = keyof typeof WORDS;
export const CANCEL_PROMISES = Object.keys(WORDS) as readonly CancelPromise[];

function readAll(
  promise: CancelPromise,
  trials: readonly CancelTrial[],
  { effectMs = 0, latestMs = EFFECT_MS_MAX, othersRanMs = null }: CancelContext,
): readonly Reading[] {
  if (promise === "cancel.queued") return trials.map((each) => readQueued(each, latestMs));
  if (promise === "cancel.not-terminal") return trials.map((each) => readTerminal(each, effectMs));
  // What waits for a queued job's turn has none with a running one.
  const runningMs = Math.min(effectMs, latestMs);
  const readings = trials.map((each) => readRunning(each, runningMs));
  const struck = readAllStruck(trials, effectMs, othersRanMs);
  if (struck !== null) return struck;
  const faults = readings.filter((reading) => typeof reading !== "string");
  const isOne = faults.length === 1 && readings.includes("kept");
  return trials.map((trial, at) => {
    const reading = readings[at] ?? "race";
    if (typeof reading === "string" || !isOne || !mayBeTheSystem(trial)) return reading;
    return { ...reading, otherwise: BY_THE_SYSTEM };
  });
}

/** Ours: where others complete, as many that fail or stop in such a moment are no chance. */
const STRUCK_MIN = 3;
/** Ours: a run that is shorter than this share of the shortest of the others was cut short. */
const CUT_SHARE = 0.5;
/** Ours: one is cancelled when it has run for most of its time, and is not cut by as much. */
const LATE_MAX = 1;

/**
 * Running jobs that each fail, or complete after a part of their run, as they are to be cancelled:
 * with all others that are, it is the request's doing. null: they do not.
 */
function readAllStruck(
  trials: readonly CancelTrial[],
  effectMs: number,
  othersRanMs: number | null,
): readonly Reading[] | null {
  if (othersRanMs === null) return null;
  const ends = trials.map((trial) => endAt(trial, effectMs));
  const failed = ends.filter((end) => end?.state === "failed");
  const cut = ends.filter((end) => isCut(end, othersRanMs));
  const areStruck =
    (failed.length >= STRUCK_MIN && failed.length === trials.length) ||
    (cut.length >= STRUCK_MIN && trials.length - cut.length <= LATE_MAX);
  if (!areStruck) return null;
  return trials.map((trial, at): Reading => {
    const end = ends[at] ?? null;
    if (end?.state !== "failed" && !isCut(end, othersRanMs)) return "race";
    const how =
      end?.state === "failed" ? "failed" : `completed after ${end?.durationMs} ms of its run`;
    return { fault: `a running job ${how} at ${told(trial)}; promised queued jobs only` };
  });
}

function isCut(end: Job | null, othersRanMs: number): boolean {
  const ranMs = end?.durationMs ?? null;
  return end?.state === "completed" && ranMs !== null && ranMs < CUT_SHARE * othersRanMs;
}

/** Its end, where it may have come of the request: no later than a cancel would show. */
function endAt(trial: CancelTrial, effectMs: number): Job | null {
  const untilMs = trial.cancel.receivedAtMs + effectMs + VIEW_LAG_MS;
  const open = trial.after.filter((poll) => !isTerminal(jobIn(poll)?.state));
  const isSoon = open.every(({ sentAtMs }) => sentAtMs <= untilMs);
  return (isSoon && readable(trial.after).find(({ state }) => isTerminal(state))) || null;
}

const BY_THE_SYSTEM = anything(
  "too little seen",
  "the service refused the request, and may have cancelled one of several jobs by itself",
);

/** The system may cancel a job, in variant B one that runs, for reasons of its own. Spec §3.1. */
function mayBeTheSystem({ cancel, before }: CancelTrial): boolean {
  return isClientError(cancel) && decodeJob(jsonBody(before)).value?.variant === "B";
}

export function judgeCancel(
  promise: CancelPromise,
  all: readonly CancelTrial[],
  context: CancelContext,
): Finding {
  const trials = all.map(withoutOthers);
  const { without, methodUnknown, methodWorks } = context;
  const { kept, race } = WORDS[promise];
  const readings = readAll(promise, trials, context);
  const seen = trials.map((trial, at) => {
    const exchanges = [trial.before, trial.cancel, ...trial.after.slice(-2)];
    const states = trial.after.map((poll) => jobIn(poll)?.statusText ?? String(poll.status));
    const job = { job: trial.jobId, states };
    return { trial, reading: readings[at] ?? "race", grounds: { exchanges, job } };
  });
  // A request that the service has not got leaves every job as it is.
  const mayBeUnheard = promise !== "cancel.queued" && !methodWorks;
  const isUnheard = ({ trial }: { trial: CancelTrial }) =>
    mayBeUnheard && isOtherMethod(trial.cancel);
  const good = seen.filter(({ reading }) => reading === "kept");
  const isMet = seen.some(({ reading }) => reading !== "started");
  const told = good.filter((each) => !isUnheard(each));
  const alone = "no single request cancelled more than one queued job";
  return judgeCounted({
    promise,
    faults: seen.flatMap(({ trial, reading, grounds }) => {
      if (typeof reading === "string") return [];
      const isOther = reading.byRequest === true && isOtherMethod(trial.cancel);
      const unknown =
        "the interface names no method, and none of those tried cancelled a queued job";
      const above = [
        ...anythingIf(isOther, "too little seen", otherRequest(trial)),
        ...anythingIf(methodUnknown, "too little seen", unknown),
        ...(reading.otherwise == null ? [] : [reading.otherwise]),
      ];
      return [{ what: reading.fault, above, ...grounds }];
    }),
    open: [
      ...good.filter(isUnheard).map(({ trial }) => ({ what: otherRequest(trial) })),
      ...(isMet && good.length === 0 ? [{ what: race }] : []),
    ],
    good: told.length,
    of: "jobs",
    kept,
    without: seen.length > 0 ? "each job may have started before the answer to it" : without,
    hidden: anythingIf(methodUnknown, "too little seen", alone),
    quorum: { openShare: 0 },
    notTried: cancelsNotTried(
      promise,
      told.map(({ trial }) => trial),
      (context.latestMs ?? EFFECT_MS_MAX) / EFFECT_MS_MAX,
    ),
  });
}

function otherRequest(trial: CancelTrial): string {
  const seems = "the service seems to use another request for it";
  return `${told(trial)}: ${seems}; see cancel in the target`;
}

/** The longest time from a request to the cancelled job, 0 where each was so by the answer. */
export function cancelEffectMs(trials: readonly CancelTrial[]): number {
  const effects = trials.map(({ cancel, after }) => {
    const at = after.findIndex((poll) => jobIn(poll)?.state === "cancelled");
    return at <= 0 ? 0 : (after[at]?.receivedAtMs ?? 0) - cancel.sentAtMs;
  });
  return Math.max(0, ...effects);
}

/** Whether one of the requests was answered with success, or cancelled its job. */
export function isUnderstood(trials: readonly CancelTrial[]): boolean {
  return trials.some(
    ({ cancel, after }) =>
      isSuccess(cancel) || readable(after).some(({ state }) => state === "cancelled"),
  );
}

function readQueued(trial: CancelTrial, latestMs: number): Reading {
  const jobs = readable(trial.after);
  const ended = jobs.findIndex(({ state }) => isTerminal(state));
  const end = jobs[ended];
  if (end?.state === "cancelled") return readCancelled(trial, jobs, ended);
  // Without an answer nobody knows whether the request has reached the service.
  if (trial.cancel.status === 0) return "race";
  if (end !== undefined && saysCancelled(trial)) {
    const fault = `a queued job that ${told(trial)} called cancelled went on to ${end.state}`;
    return { fault: `${fault}; promised that it never runs` };
  }
  // Only a job that still waited after the answer shows that the request did nothing to it.
  const first = jobs[0];
  if (end?.state === "failed" && isSuccess(trial.cancel) && hasNoRun(jobs.slice(0, ended + 1))) {
    const fault = `a queued job ended as ${end.state}, without a run, after ${told(trial)}`;
    return { fault: `${fault}; promised cancelled` };
  }
  if (first === undefined) return "race";
  if (!isWaiting(first.state)) return hadStarted(trial, end ?? first) ? "started" : "race";
  const last = end ?? jobs.at(-1) ?? first;
  if (isWaiting(last.state)) {
    const seenForMs = (trial.after.at(-1)?.sentAtMs ?? 0) - trial.cancel.receivedAtMs;
    if (seenForMs < latestMs) return "race";
    const fault = `a queued job was still queued long after ${told(trial)}; promised cancelled`;
    return { fault, byRequest: true };
  }
  if (mayHaveStarted(trial, last)) return hadStarted(trial, last) ? "started" : "race";
  const fault = `a queued job went on to ${last.state} after ${told(trial)}; promised cancelled`;
  return { fault, byRequest: true };
}

/** A cancelled job must stay so, and show no trace of a run. */
function readCancelled(trial: CancelTrial, jobs: readonly Job[], ended: number): Reading {
  const moved = jobs.slice(ended).find(({ state }) => state !== null && state !== "cancelled");
  if (moved !== undefined) {
    return { fault: `a cancelled job went on to ${moved.state}; promised that it never runs` };
  }
  const waited = jobs.slice(0, ended).find(({ state }) => isWaiting(state));
  const ran = jobs.slice(0, ended).some(({ state }) => state === "running");
  if (ran && waited === undefined) return "race";
  if (ran) {
    // The service itself may have cancelled it later on. Spec §3.1.
    const fault = `a queued job started after ${told(trial)}, and was then cancelled`;
    return { fault, byRequest: true };
  }
  const last = jobs.at(-1);
  if (last === undefined) return "kept";
  const trace = traceOfRun(trial, last);
  return trace === null
    ? "kept"
    : { fault: `a cancelled job ${trace}; promised that it never runs` };
}

/** A run that is over before a cancel takes effect shows nothing. */
function readRunning(trial: CancelTrial, effectMs: number): Reading {
  const jobs = readable(trial.after);
  const end = jobs.find(({ state }) => isTerminal(state));
  if (end?.state === "cancelled") {
    return { fault: `a running job was cancelled by ${told(trial)}; promised queued jobs only` };
  }
  // The request met a running job for sure only where a later poll saw it running still.
  if (jobs[0]?.state !== "running" || end === undefined) return "race";
  const ran = trial.after.filter((poll) => jobIn(poll)?.state === "running");
  const isLong = (ran.at(-1)?.sentAtMs ?? 0) >= trial.cancel.sentAtMs + effectMs;
  return end.state === "completed" && isLong ? "kept" : "race";
}

/** A job that was not read again by the time that a cancel takes effect shows nothing. */
function readTerminal(trial: CancelTrial, effectMs: number): Reading {
  const before = decodeJob(jsonBody(trial.before)).value;
  const gone = trial.after.filter(({ status }) => status === 404);
  const [firstGone] = gone;
  if (firstGone !== undefined && gone.length >= 2 && gone.length === trial.after.length) {
    return {
      fault: `an ended job can't be read after ${told(trial)}; promised no change`,
      otherwise: trial.explain?.("gone", firstGone.sentAtMs),
    };
  }
  const polls = trial.after.filter((poll) => readable([poll]).length > 0);
  if (before === null || polls.length === 0) return "race";
  for (const poll of polls) {
    if (before.state === null || !isTerminal(before.state)) return "race";
    const change = readable([poll]).flatMap((job) => endChange(before, job) ?? [])[0];
    if (change === undefined) continue;
    const became = jobIn(poll)?.state;
    const fault =
      change === "state" || change === "cancelled"
        ? `a ${before.state} job became ${became} by ${told(trial)}`
        : `${change} of an ended job changed by ${told(trial)}`;
    return { fault, otherwise: trial.explain?.(change, poll.sentAtMs) };
  }
  const last = polls.at(-1);
  return last !== undefined && last.sentAtMs >= trial.cancel.sentAtMs + effectMs ? "kept" : "race";
}

/** Answers that show another job are job.same-id's, where others show this one. */
function withoutOthers(trial: CancelTrial): CancelTrial {
  const shownId = (poll: Exchange) => jobIn(poll)?.id ?? null;
  if (trial.after.every((poll) => shownId(poll) !== trial.jobId)) return trial;
  const after = trial.after.filter((poll) => [null, trial.jobId].includes(shownId(poll)));
  return { ...trial, after };
}

function told({ cancel }: CancelTrial): string {
  return `${cancel.method} (answered ${cancel.status})`;
}
