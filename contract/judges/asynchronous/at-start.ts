/** Judges whether answers to submissions wait until their jobs start. Spec §1.2, §2.4. */

import type { Seen } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { momentsIn } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess, tookMsOf } from "../../requests/exchange.ts";
import { isWaiting } from "../../states.ts";
import { precisionMs } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, statePolls } from "../job/reading.ts";

/** Ours: of a shorter wait an answer takes as much on a machine that has much to do. */
const WAIT_MS_MIN = 1_500;
/** Ours: how far such an answer lies from its job's start: what an environment takes to start. */
const ROOM_MS = 250;
const ROOM_SHARE = 0.1;
/** Ours: a service that stands still goes on at one moment; these come by themselves. */
const MOMENTS_MIN = 3;
const MOMENTS_APART_MS = 500;
/** Ours: what is asked meanwhile is answered at once, so that nothing stands still. */
const PROMPT_SHARE = 0.25;

interface Waited {
  reading: JobReading;
  waitMs: number;
  isWaited: boolean;
  seen: Seen;
}

/**
 * Answers that took as long as their jobs waited, by the service's own times, where most jobs that
 * waited were answered so, each at another moment. None where fewer show it.
 */
export function judgeAnsweredAtStart(readings: readonly JobReading[]): readonly Finding[] {
  const asked = readings.flatMap(({ history, polls }) => [
    history.submission,
    ...polls.map(({ exchange }) => exchange),
  ]);
  const long = readings.flatMap((reading) => waitedOf(reading, asked) ?? []);
  const isTakenSlowly = slowlyTaken(readings);
  const waited = long.filter((each) => each.isWaited && !isTakenSlowly(each.reading));
  // What is slow to answer whatever it is asked is so to some jobs that wait.
  const most = Math.max(long.length, waited.length + slowOtherwise(readings));
  const answeredAtMs = waited.map(({ reading }) => reading.history.submission.receivedAtMs);
  if (momentsIn(answeredAtMs, MOMENTS_APART_MS) < MOMENTS_MIN || waited.length <= most / 2)
    return [];
  const longestFirst = [...waited].sort((a, b) => b.waitMs - a.waitMs);
  return judgeFaultsAlone({
    promise: "submit.asynchronous",
    faults: longestFirst.map(({ seen }) => seen),
    good: readings.length - waited.length,
    of: "jobs",
  });
}

/**
 * Where none of a worker's submissions is answered soon, to take them is slow, and not to wait for
 * a start. Of a worker with a single one, all others tell.
 */
function slowlyTaken(readings: readonly JobReading[]): (reading: JobReading) => boolean {
  const ofWorker = new Map<string, { jobs: number; prompt: number }>();
  for (const reading of readings) {
    const { workerId } = reading.history;
    const { jobs, prompt } = ofWorker.get(workerId) ?? { jobs: 0, prompt: 0 };
    ofWorker.set(workerId, { jobs: jobs + 1, prompt: prompt + Number(isPrompt(reading)) });
  }
  const isAny = readings.some(isPrompt);
  return ({ history: { workerId } }) => {
    const { jobs, prompt } = ofWorker.get(workerId) ?? { jobs: 0, prompt: 0 };
    return !isAny || (jobs > 1 && prompt === 0);
  };
}

function isPrompt({ history: { submission } }: JobReading): boolean {
  return isSuccess(submission) && tookMsOf(submission) < PROMPT_SHARE * WAIT_MS_MIN;
}

/** How many answers took as long as such a wait: to polls, and to jobs that did not wait. */
function slowOtherwise(readings: readonly JobReading[]): number {
  const others = readings.flatMap((reading) => {
    const polls = reading.polls.map(({ exchange }) => exchange);
    const waitMs = statedWaitMs(reading) ?? WAIT_MS_MIN;
    return waitMs < WAIT_MS_MIN ? [reading.history.submission, ...polls] : polls;
  });
  return others.filter((each) => isSuccess(each) && tookMsOf(each) >= WAIT_MS_MIN).length;
}

/** Null for a job that does not tell that it waited for long. */
function waitedOf(reading: JobReading, asked: readonly Exchange[]): Waited | null {
  const { submission } = reading.history;
  const waitMs = isSuccess(submission) ? statedWaitMs(reading) : null;
  if (waitMs === null || waitMs < WAIT_MS_MIN) return null;
  const ms = tookMsOf(submission);
  const isAsLong = Math.abs(ms - waitMs) <= ROOM_MS + ROOM_SHARE * waitMs;
  const what =
    `the response to a submission took ${Math.round(ms)} ms, and its job started after ` +
    `${Math.round(waitMs)} ms; promised at once`;
  return {
    reading,
    waitMs,
    isWaited: isAsLong && !isWaitingAfter(reading) && asked.some(isPromptWithin(submission)),
    seen: { what, exchanges: [submission] },
  };
}

/** From its submission to its start, by the service's own times. */
function statedWaitMs(reading: JobReading): number | null {
  const { job } = firstEnd(reading) ?? {};
  const { createdAt = null, startedAt = null, finishedAt = null, durationMs = null } = job ?? {};
  const start = startedAt ?? finishedAt;
  if (createdAt === null || start === null) return null;
  if (Math.max(precisionMs(createdAt), precisionMs(start)) > ROOM_MS) return null;
  if (startedAt === null && durationMs === null) return null;
  const ranMs = startedAt === null ? (durationMs ?? 0) : 0;
  return start.ms - ranMs - createdAt.ms;
}

function isWaitingAfter(reading: JobReading): boolean {
  const answeredMs = reading.history.submission.receivedAtMs;
  return statePolls(reading).some(({ exchange, job }) => {
    return exchange.sentAtMs > answeredMs && isWaiting(job.state);
  });
}

/** Sent after the submission, and answered in a part of its time, before it. */
function isPromptWithin(submission: Exchange): (other: Exchange) => boolean {
  const { sentAtMs, receivedAtMs } = submission;
  const mostMs = PROMPT_SHARE * (receivedAtMs - sentAtMs);
  return (other) =>
    isSuccess(other) &&
    other.sentAtMs > sentAtMs + mostMs &&
    other.receivedAtMs < receivedAtMs - mostMs &&
    other.receivedAtMs - other.sentAtMs < mostMs;
}
