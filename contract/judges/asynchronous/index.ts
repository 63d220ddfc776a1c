/** Judges whether the answer to a submission waits for the run. Spec §1.2. */

import type { Sample, Seen } from "../../judging/claim.ts";
import { decide, judgeFaultsAlone } from "../../judging/decide.ts";
import { percent, rounded } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess, tookMsOf } from "../../requests/exchange.ts";
import { isTerminal } from "../../states.ts";
import { precisionMs } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, offsetAtMostMs, statePolls } from "../job/reading.ts";

/**
 * A submission and how long its job took as seen from outside: from the sending of the submission
 * to the receipt of the first poll that saw the job ended. That span holds the answer's own time,
 * so no clock and no figure of the service's is needed.
 */
export interface TimedSubmission {
  submission: Exchange;
  endSeenAtMs: number;
}

/**
 * Ours: an answer that waits grows with the job's span one for one, one that does not grows not at
 * all; between the two bounds lies what a busy machine can feign.
 */
const WAITING_SHARE = 0.4;
const NOT_WAITING_SHARE = 0.25;
/** Ours: jobs of any length, if long, tell by such answers that nobody waits for them. */
const PROMPT_SHARE_MAX = 0.1;
/** Ours: a median of fewer is one bad moment. */
const SAMPLES_MIN = 2;
/** Ours: below this, two spans can't be told apart on a busy machine. */
const SPAN_DIFFERENCE_MIN_MS = 50;

/** Ours: shorter lives are as long as a connection takes that is tried again. */
const LIFE_MS_MIN = 4_000;
/** Ours: how long after its job's end such an answer comes at the most; of the job's life. */
export const AFTER_END_SHARE = 0.1;
/** Ours: one answer is as late as its job was long by accident. */
const WAITED_MIN = 2;

/**
 * Single answers that came as their jobs ended, by the service's own times; others may come at
 * once, so that the least of them shows nothing. None where fewer than two did.
 */
export function judgeAnsweredAtEnd(readings: readonly JobReading[]): readonly Finding[] {
  const offsetMs = offsetAtMostMs(readings);
  const long = readings.flatMap((reading) => lifeOf(reading, offsetMs) ?? []);
  const waited = long.filter(({ isWaited }) => isWaited);
  // A service under strain answers late whatever its jobs do: some of that fits their lives.
  const late = long.filter(({ isAfterEnd }) => isAfterEnd);
  const most = Math.max(late.length, waited.length + shortAsLate(readings, waited).length);
  if (waited.length < WAITED_MIN || waited.length <= most / 2) return [];
  return judgeFaultsAlone({
    promise: "submit.asynchronous",
    faults: waited.map(({ seen }) => seen),
    good: long.length - waited.length,
    of: "jobs",
  });
}

/** Answers to short jobs that took as long as those: what they wait for is not the run. */
function shortAsLate(readings: readonly JobReading[], waited: readonly { ms: number }[]) {
  const waitsMs = waited.map(({ ms }) => ms);
  const leastMs = Math.min(...waitsMs);
  const mostMs = Math.max(...waitsMs) * (1 + AFTER_END_SHARE);
  return readings.filter((reading) => {
    const { lifeMs = LIFE_MS_MIN } = statedLife(reading) ?? {};
    const ms = tookMsOf(reading.history.submission);
    return lifeMs < LIFE_MS_MIN && ms >= leastMs && ms <= mostMs;
  });
}

/** Null where the job was not accepted, or does not tell. */
export function statedLife(reading: JobReading) {
  const { createdAt = null, finishedAt = null } = firstEnd(reading)?.job ?? {};
  if (createdAt === null || finishedAt === null || !isSuccess(reading.history.submission)) {
    return null;
  }
  const errorMs = Math.max(precisionMs(createdAt), precisionMs(finishedAt));
  return { lifeMs: finishedAt.ms - createdAt.ms, errorMs, endedMs: finishedAt.ms };
}

/**
 * Whether an answer took as long as the job at least, and whether it came as that ended; null for a
 * job whose life is not known to have been long enough to tell.
 */
function lifeOf(reading: JobReading, offsetMs: number | null) {
  const { submission } = reading.history;
  const stated = statedLife(reading);
  if (stated === null || stated.lifeMs < LIFE_MS_MIN) return null;
  const { lifeMs, errorMs } = stated;
  if (errorMs > AFTER_END_SHARE * lifeMs) return null;
  const ms = tookMsOf(submission);
  const isAfterEnd = ms >= lifeMs - errorMs;
  const roomMs = AFTER_END_SHARE * lifeMs + errorMs;
  // A request that is long on its way in is answered late as well, but not after its job's end.
  const endedMs = stated.endedMs - (offsetMs ?? Number.POSITIVE_INFINITY);
  const cameLate = submission.receivedAtMs < endedMs - roomMs || isOpenAfter(reading);
  const isWaited = isAfterEnd && ms <= lifeMs + roomMs && !cameLate;
  return { ms, isAfterEnd, isWaited, seen: waitedSeen(reading) };
}

/** Of an answer that came as its job ended. */
export function waitedSeen(reading: JobReading): Seen {
  const { submission } = reading.history;
  const lifeMs = Math.round(statedLife(reading)?.lifeMs ?? 0);
  const what =
    `the response to a submission took ${Math.round(tookMsOf(submission))} ms, and its job ended ` +
    `after ${lifeMs} ms; promised not to wait for the run`;
  return { what, exchanges: [submission] };
}

/** Whether a poll that was sent after the answer showed the job under way. */
export function isOpenAfter(reading: JobReading): boolean {
  const answeredMs = reading.history.submission.receivedAtMs;
  return statePolls(reading).some(({ exchange, job }) => {
    return exchange.sentAtMs > answeredMs && !isTerminal(job.state);
  });
}

export function judgeAsynchronous(
  fast: readonly TimedSubmission[],
  slow: readonly TimedSubmission[],
  without: string,
): Finding {
  const isSeen = fast.length >= SAMPLES_MIN && slow.length >= SAMPLES_MIN;
  const all = [...fast, ...slow];
  const sample = isSeen ? sampleOf(timesOf(fast, slow), slow, shareOfLife(all)) : null;
  return decide({
    promise: "submit.asynchronous",
    unit: "share",
    tolerated: { low: Number.NEGATIVE_INFINITY, high: NOT_WAITING_SHARE },
    samples: sample === null ? [] : [sample],
    looks: all.length,
    of: "jobs",
    kept: sample?.what ?? "",
    without,
  });
}

/**
 * The least answer to short jobs, all answers to long ones, and by how much those jobs took longer.
 * A span is seen too long where a poll had to wait its turn, never too short: hence the least.
 */
function timesOf(fast: readonly TimedSubmission[], slow: readonly TimedSubmission[]) {
  return {
    fastMs: Math.min(...fast.map(({ submission }) => tookMsOf(submission))),
    slowMs: slow.map(({ submission }) => tookMsOf(submission)),
    differenceMs: Math.min(...slow.map(spanMs)) - Math.min(...fast.map(spanMs)),
  };
}

type Times = ReturnType<typeof timesOf>;

/**
 * The share of the run that answers wait. Lag makes answers longer, never shorter: the least are
 * the nearest to the service's own. A share that the least answers show is the service's; one that
 * only the median shows, or less than a waiting service has, may be this machine's.
 */
function sampleOf(times: Times, slow: readonly TimedSubmission[], lifeShare: number): Sample {
  const { fastMs, slowMs, differenceMs } = times;
  if (differenceMs < SPAN_DIFFERENCE_MIN_MS && lifeShare <= PROMPT_SHARE_MAX) {
    const what = `responses took ${percent(lifeShare, 0)} of their jobs' lives at the most`;
    return { low: Number.NEGATIVE_INFINITY, high: lifeShare, what };
  }
  if (differenceMs < SPAN_DIFFERENCE_MIN_MS) {
    const what = "slow jobs took no longer than others, so a wait for the run would not show";
    return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, what };
  }
  const shareOf = (answeredMs: number) => (answeredMs - fastMs) / differenceMs;
  const [least, usual] = [shareOf(Math.min(...slowMs)), shareOf(median(slowMs))];
  if (least < WAITING_SHARE) {
    const isNoisy = usual > NOT_WAITING_SHARE;
    const what = isNoisy ? `${told(times)}: too noisy to tell` : told(times);
    return { low: Math.min(least, NOT_WAITING_SHARE), high: usual, what };
  }
  const what = `${told(times)}; promised not to wait for the run`;
  const exchanges = slow
    .map(({ submission }) => submission)
    .sort((a, b) => tookMsOf(b) - tookMsOf(a));
  return { low: least, high: Math.max(least, usual), what, exchanges };
}

function told({ fastMs, slowMs, differenceMs }: Times): string {
  return (
    `responses took ${msText(fastMs)} for short jobs and ` +
    `${msText(median(slowMs))} for jobs that took ${msText(differenceMs)} longer`
  );
}

/** In tenths where it is short: no response takes 0 ms. */
function msText(ms: number): string {
  return ms < 0.05 ? "less than 0.1 ms" : `${rounded(ms, ms < 10 ? 1 : 0)} ms`;
}

/**
 * Of its job's life the most that an answer took: one that waits for the run takes all of it. 1
 * where some job was too short to tell.
 */
function shareOfLife(all: readonly TimedSubmission[]): number {
  const shares = all.map((each) => {
    return spanMs(each) < LIFE_MS_MIN ? 1 : tookMsOf(each.submission) / spanMs(each);
  });
  return Math.max(...shares);
}

function spanMs({ submission, endSeenAtMs }: TimedSubmission): number {
  return endSeenAtMs - submission.sentAtMs;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
