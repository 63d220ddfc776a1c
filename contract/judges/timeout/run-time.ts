/**
 * How long a job ran, by the best witness: the service's own times, which need no clock offset,
 * where what was seen from outside does not contradict them; otherwise the outside alone.
 */

import type { Job } from "../../decode/job-types.ts";
import { precisionMs } from "../../timestamps.ts";
import type { JobReading, StateLook } from "../job/reading.ts";
import { firstEnd, looksToEnd } from "../job/reading.ts";
import type { StartStamp } from "./start-up.ts";
import { isWaiting, startUpOf } from "./start-up.ts";

/** The true running time lies between the two, whether starting up counts as running or not. */
export interface Span {
  lowMs: number;
  highMs: number;
}

export interface RunTime extends Span {
  /** What the service's times say; null without them, and where they contradict the polls. */
  statedMs: number | null;
  /** By how much the service's times may be rounded. */
  roundingMs: number;
}

/** Ours: start and end are each rounded to a millisecond. */
const ROUNDING_MS = 2;
/** Ours: what an answer may lag behind the job that it shows, and two clocks' rates may differ. */
const OUTSIDE_SLACK_MS = 50;
const OUTSIDE_SLACK_SHARE = 0.01;

/** The running time of a job that was seen ended; null for any other. */
export function runTimeOf(reading: JobReading, stamp: StartStamp): RunTime | null {
  const end = firstEnd(reading);
  if (end === null) return null;
  const outside = outsideSpan(reading, end);
  const stated = statedTime(end.job);
  if (stated === null || contradicts(stated.ms, outside)) {
    return { ...outside, statedMs: null, roundingMs: 0 };
  }
  const { ms, roundingMs } = stated;
  const startUp = startUpOf(reading, end, stamp);
  return {
    lowMs: Math.min(ms, Math.max(ms - startUp.withinMs, outside.lowMs)) - roundingMs,
    highMs: Math.max(ms, Math.min(ms + startUp.beforeMs, outside.highMs)) + roundingMs,
    statedMs: ms,
    roundingMs,
  };
}

/** How long a job that was not seen to end was seen running, at the least. */
export function seenRunningMs(reading: JobReading): number {
  const running = looksToEnd(reading).filter(({ job }) => job.state === "running");
  const [first, last] = [running[0], running.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return Math.max(0, last.exchange.sentAtMs - first.exchange.receivedAtMs);
}

/**
 * A run began after the sending of the last poll that saw the job waiting, and before the receipt
 * of the first that saw it run; its end lies likewise. Whether starting up counts as running is
 * open, so it narrows neither bound.
 */
function outsideSpan(reading: JobReading, end: StateLook): Span {
  const looks = looksToEnd(reading);
  const left = looks.findIndex(({ job }) => !isWaiting(job.state));
  const running = looks.find(({ job }) => job.state === "running") ?? end;
  const startLowMs = (looks[left - 1]?.exchange ?? reading.history.submission).sentAtMs;
  const endLowMs = looks.at(-2)?.exchange.sentAtMs ?? Number.NEGATIVE_INFINITY;
  return {
    lowMs: Math.max(0, endLowMs - running.exchange.receivedAtMs),
    highMs: end.exchange.receivedAtMs - startLowMs,
  };
}

/** Start and end of variant B, else the duration that either variant tells. Spec §2.5. */
function statedTime(job: Job): { ms: number; roundingMs: number } | null {
  const { startedAt, finishedAt, durationMs } = job;
  if (startedAt !== null && finishedAt !== null && finishedAt.ms >= startedAt.ms) {
    const roundingMs = Math.max(ROUNDING_MS, precisionMs(startedAt), precisionMs(finishedAt));
    return { ms: finishedAt.ms - startedAt.ms, roundingMs };
  }
  return durationMs === null ? null : { ms: durationMs, roundingMs: ROUNDING_MS };
}

function contradicts(statedMs: number, { lowMs, highMs }: Span): boolean {
  const slackMs = OUTSIDE_SLACK_MS + OUTSIDE_SLACK_SHARE * highMs;
  return statedMs < lowMs - slackMs || statedMs > highMs + slackMs;
}
