/**
 * Judges the cancel requests among what was seen of jobs, each by the state that was seen before
 * it: a load sends them to jobs that were just accepted, that run, and that have ended. Spec §3.2.
 */

import type { Job } from "../../decode/job-types.ts";
import type { Explanation } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isBefore, isSuccess } from "../../requests/exchange.ts";
import type { State } from "../../states.ts";
import { isTerminal } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, pollsToEnd, statePolls } from "../job/reading.ts";
import type { CancelTrial } from "./cancel-trial.ts";
import type { EndChange } from "./end-change.ts";
import { endChange } from "./end-change.ts";
import type { CancelPromise } from "./index.ts";
import { CANCEL_PROMISES, cancelEffectMs, judgeCancel } from "./index.ts";

/** An ended job that nobody cancelled, and was polled again. */
export interface EndedAlone {
  state: State;
  /** How long after its end was first seen it was polled for the last time. */
  seenForMs: number;
  changes: ReadonlySet<EndChange>;
}

/** Of jobs that were polled again after their end, those without a cancel request. */
export function endedAlone(readings: readonly JobReading[]): readonly EndedAlone[] {
  return readings.flatMap((reading) => {
    const end = firstEnd(reading);
    const { cancelRequests, polls } = reading.history;
    if (end === null || cancelRequests.length > 0) return [];
    const later = reading.polls.filter(({ exchange }) => isBefore(end.exchange, exchange));
    const gone = polls.filter((poll) => poll.status === 404 && isBefore(end.exchange, poll));
    const last = [...later.map(({ exchange }) => exchange), ...gone].at(-1);
    if (last === undefined) return [];
    const changes = changesIn(end.job, later);
    if (gone.length > 0) changes.add("gone");
    const seenForMs = last.sentAtMs - end.exchange.receivedAtMs;
    return [{ state: end.job.state, seenForMs, changes }];
  });
}

/**
 * What else than its cancel may have changed an ended job; null where the cancel is to blame. Of
 * jobs that ended alike and that nobody cancelled none may have changed in the same way; and one
 * must have been seen for as long, unless the job is now what a cancel makes of it.
 */
function explained(
  uncancelled: readonly EndedAlone[],
  { state, changed, afterMs }: { state: State; changed: EndChange; afterMs: number },
): Explanation | null {
  const alike = uncancelled.filter((each) => each.state === state);
  const others = alike.filter(({ changes }) => changes.has(changed)).length;
  if (others > 0) {
    const why = `${others} of ${alike.length} ${state} jobs that nobody cancelled changed as well`;
    return anything("another fault", why);
  }
  const isSeen = alike.some(({ seenForMs }) => seenForMs >= afterMs);
  if (changed === "cancelled" || isSeen) return null;
  return anything("too little seen", `no other ${state} job was seen for as long after its end`);
}

export function judgeCancelsSeen(
  readings: readonly JobReading[],
  uncancelled: readonly EndedAlone[],
): readonly Finding[] {
  const seen = readings.flatMap((reading) => seenOf(reading, uncancelled) ?? []);
  const of = (wanted: CancelPromise) =>
    seen.filter(({ promise }) => promise === wanted).map(({ trial }) => trial);
  const effectMs = cancelEffectMs(of("cancel.queued"));
  const told = { without: "none was cancelled", methodUnknown: false, methodWorks: true, effectMs };
  return CANCEL_PROMISES.map((promise) => judgeCancel(promise, of(promise), told));
}

/**
 * Jobs of variant A that were cancelled while they ran, though nobody asked for it: only what has
 * not started is. In variant B the system may cancel any job. None where there are none. Spec §3.1.
 */
export function judgeCancelledAlone(readings: readonly JobReading[]): readonly Finding[] {
  const faults = readings.flatMap((reading) => {
    const [last, end] = pollsToEnd(reading).slice(-2);
    if (last?.job.state !== "running" || end?.job.state !== "cancelled") return [];
    if (end.job.variant !== "A" || reading.history.cancelRequests.length > 0) return [];
    const what = "a running job was cancelled, and nobody asked for it; promised before its start";
    return [{ what, exchanges: [last.exchange, end.exchange] }];
  });
  return judgeFaultsAlone({ promise: "cancel.not-running", faults, of: "jobs" });
}

/** What polls between the end and the request have shown already is not the request's doing. */
function changesBefore(reading: JobReading, cancel: Exchange): ReadonlySet<EndChange> {
  const end = firstEnd(reading);
  const polls = reading.polls.filter(({ exchange }) => isBefore(exchange, cancel));
  const later = polls.filter(({ exchange }) => end !== null && isBefore(end.exchange, exchange));
  return end === null ? new Set() : changesIn(end.job, later);
}

function changesIn(end: Job, later: JobReading["polls"]): Set<EndChange> {
  return new Set(later.flatMap(({ job }) => (job === null ? [] : (endChange(end, job) ?? []))));
}

/** What a service may answer that has understood the request; 404: it may not know the job yet. */
function isUnderstood({ status }: Exchange): boolean {
  return status >= 200 && status < 500 && ![401, 404, 405, 429].includes(status);
}

/** null where it tells nothing: the job was not seen to its end, or nobody has read the request. */
function seenOf(reading: JobReading, uncancelled: readonly EndedAlone[]) {
  const { submission, issuedId, cancelRequests } = reading.history;
  const polls = statePolls(reading);
  const cancel = cancelRequests.find(isUnderstood);
  const end = polls.find(({ job }) => isTerminal(job.state));
  if (cancel === undefined || issuedId === null || end === undefined) return null;
  const after = polls.filter(({ exchange }) => isBefore(cancel, exchange));
  const before = polls.findLast(({ exchange }) => isBefore(exchange, cancel));
  const state = before?.job.state ?? "queued";
  const promise = promiseOf(state);
  // The system may cancel a job that no request has. Spec §3.1.
  const isBySystem = end.job.state === "cancelled" && !isSuccess(cancel) && !isTerminal(state);
  if (isBySystem) return null;
  const trial: CancelTrial = {
    jobId: issuedId,
    before: before?.exchange ?? submission,
    cancel,
    submission,
    after: after.map(({ exchange }) => exchange),
    explain: (changed: EndChange, seenAtMs: number) => {
      if (changesBefore(reading, cancel).has(changed)) {
        return anything("another fault", "it had changed so before the request was sent");
      }
      const afterMs = seenAtMs - (firstEnd(reading)?.exchange.receivedAtMs ?? seenAtMs);
      return explained(uncancelled, { state, changed, afterMs });
    },
  };
  return { promise, trial };
}

function promiseOf(state: State): CancelPromise {
  if (isTerminal(state)) return "cancel.not-terminal";
  return state === "running" ? "cancel.not-running" : "cancel.queued";
}
