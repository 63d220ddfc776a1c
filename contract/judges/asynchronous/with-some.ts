/**
 * Answers to some submissions that come as their jobs end, however short those are; others may come
 * at once. What is slow to take a job is no wait for its run. Spec §1.2.
 */

import { judgeFaultsAlone } from "../../judging/decide.ts";
import { medianOf } from "../../numbers/figures.ts";
import { isSuccess, tookMsOf } from "../../requests/exchange.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd } from "../job/reading.ts";
import { AFTER_END_SHARE, isOpenAfter, statedLife, waitedSeen } from "./index.ts";

/** Ours: an answer that comes sooner is none that waited, on a busy machine. */
const LATE_MS_MIN = 100;
/** Ours: a shorter run ends while the answer is on its way, as fast as that may be. */
const RUN_MS_MIN = 100;
/** Ours: of its job's run the least that such an answer waits for, beyond what each one takes. */
const RUN_SHARE_MIN = 0.5;
/** Ours: so many are as late as their jobs are long by no accident, and most late ones are. */
const WAITED_MIN = 4;
const WAITED_SHARE_MIN = 0.8;
/** Ours: what waits for something else is late by one time; these differ from most by so much. */
const OTHER_LENGTH = 1.25;
const OTHERS_MIN = 2;
/**
 * Ours: of one worker all runs may take the same time. That each of so many answers takes as long
 * as well, while those of the others take a part of it at the most, is no chance.
 */
const OF_WORKER = { jobsMin: 6, answeredMsMin: 300, othersShareMax: 0.25 } as const;

/** None where late answers may wait for something else. */
export function judgeAnsweredWithSome(readings: readonly JobReading[]): readonly Finding[] {
  const accepted = readings.filter(({ history }) => isSuccess(history.submission));
  // One that is cancelled as soon as it is answered lives for as long as that took.
  const late = accepted.filter((reading) => {
    return answeredMs(reading) >= LATE_MS_MIN && firstEnd(reading)?.job.state !== "cancelled";
  });
  const waited = late.filter(isWaited(usualTripMs(readings)));
  const usualMs = medianOf(waited.map(answeredMs));
  const others = waited.filter((reading) => {
    const times = answeredMs(reading) / usualMs;
    return Math.max(times, 1 / times) > OTHER_LENGTH;
  });
  const isSeen = waited.length >= WAITED_MIN && others.length >= OTHERS_MIN;
  if (!isSeen || waited.length < WAITED_SHARE_MIN * late.length) return [];
  return faultsOf(waited, accepted.length);
}

/** The same of a worker whose answers all come so, though none but its own do. */
export function judgeAnsweredByWorker(readings: readonly JobReading[]): readonly Finding[] {
  const accepted = readings.filter(
    (reading) =>
      isSuccess(reading.history.submission) && firstEnd(reading)?.job.state !== "cancelled",
  );
  const waits = isWaited(usualTripMs(readings));
  const waited = [...new Set(accepted.map(workerOf))].flatMap((worker) => {
    const jobs = accepted.filter((reading) => workerOf(reading) === worker);
    const usualMs = medianOf(jobs.map(answeredMs));
    const others = accepted.filter((reading) => workerOf(reading) !== worker);
    const isSeen =
      Math.min(jobs.length, others.length) >= OF_WORKER.jobsMin &&
      usualMs >= OF_WORKER.answeredMsMin &&
      medianOf(others.map(answeredMs)) <= OF_WORKER.othersShareMax * usualMs;
    const those = isSeen ? jobs.filter(waits) : [];
    return those.length >= OF_WORKER.jobsMin && those.length >= WAITED_SHARE_MIN * jobs.length
      ? those
      : [];
  });
  return waited.length === 0 ? [] : faultsOf(waited, accepted.length);
}

function faultsOf(waited: readonly JobReading[], accepted: number): readonly Finding[] {
  return judgeFaultsAlone({
    promise: "submit.asynchronous",
    faults: [...waited].sort((a, b) => answeredMs(b) - answeredMs(a)).map(waitedSeen),
    good: accepted - waited.length,
    of: "jobs",
  });
}

function workerOf({ history }: JobReading): string {
  return history.workerId;
}

function answeredMs({ history }: JobReading): number {
  return tookMsOf(history.submission);
}

/** From the sending of a poll, which waits for nothing, to its answer. */
function usualTripMs(readings: readonly JobReading[]): number {
  return medianOf(readings.flatMap(({ polls }) => polls.map(({ exchange }) => tookMsOf(exchange))));
}

function isWaited(tripMs: number): (reading: JobReading) => boolean {
  return (reading) => {
    const { lifeMs = Number.POSITIVE_INFINITY, errorMs = 0 } = statedLife(reading) ?? {};
    if (errorMs > AFTER_END_SHARE * lifeMs || isOpenAfter(reading)) return false;
    const runMs = firstEnd(reading)?.job.durationMs ?? 0;
    // Until it starts a job may be taken, and be slow to be so.
    const sinceStartMs = answeredMs(reading) - tripMs - (lifeMs - runMs);
    if (runMs < RUN_MS_MIN || sinceStartMs < RUN_SHARE_MIN * runMs) return false;
    const afterEndMs = answeredMs(reading) - lifeMs;
    return afterEndMs >= -errorMs && afterEndMs <= AFTER_END_SHARE * lifeMs + errorMs;
  };
}
