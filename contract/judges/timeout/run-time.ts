/**
 * How long a job ran, by the best witness: the service's own times, which need no clock offset,
 * where what was seen from outside does not contradict them; otherwise the outside alone.
 */

import type { Job } from "../../decode/job-types.ts";
import { durationRoomMs, MACHINES_DIFFER_MS, precisionMs } from "../../time/timestamps.ts";
import type { Interval } from "../../timeline/interval.ts";
import type { JobReading, StatePoll } from "../job/reading.ts";
import {
  firstEnd,
  LONGEST_VIEW_LAG_MS,
  pollsToEnd,
  ROUNDING_MS,
  seenSlackMs,
  statePolls,
  VIEW_LAG_MS,
} from "../job/reading.ts";
import type { StartStamp } from "./start-up.ts";
import { firstRun, leftQueueMs, startUpOf } from "./start-up.ts";

/** The true running time lies within it, whether starting up counts as running or not. */
export interface RunTime extends Interval {
  /** The same, if what was shown was never late; for what may be said short of a contradiction. */
  seen: Interval;
  /** What the service's times say; null without them, and where they contradict the polls. */
  statedMs: number | null;
  /** By how much the service's times may be rounded. */
  roundingMs: number;
  /** By how much its stamps may be those of two clocks: what its duration puts between them. */
  clocksMs: number;
  /** Whether the stated time may leave out some of the run: a duration alone says not of what. */
  isOpenEnded: boolean;
  /** Where its start-up lies, of which polls saw some; null where none did, or it is unknown. */
  startUp: "before" | "within" | null;
}

/**
 * The running time of a job that was seen ended; null for any other. `shownEarlyMs`: for how long
 * jobs are shown running before they do.
 */
export function runTimeOf(
  reading: JobReading,
  stamp: StartStamp,
  shownEarlyMs: number,
): RunTime | null {
  const end = firstEnd(reading);
  if (end === null) return null;
  const seen = outsideSpan(reading, end, shownEarlyMs);
  const late = lateSpan(reading, end, seen, VIEW_LAG_MS);
  const stated = statedTime(end.job);
  const startUpAt = seenStartUp(reading, stamp);
  const unstated = { ...late, seen, startUp: startUpAt, ...UNSTATED };
  if (stated === null) return unstated;
  if (contradicts(stated.ms, late)) {
    const later = lateSpan(reading, end, seen, LONGEST_VIEW_LAG_MS);
    return contradicts(stated.ms, later) ? unstated : { ...unstated, ...reaching(late, stated.ms) };
  }
  const { ms, roundingMs, clocksMs, isOpenEnded } = stated;
  if (isOpenEnded) {
    // What was seen is not rounded as what is stated.
    const highMs = Math.max(ms, Math.min(lifeMs(end.job, late), late.highMs)) + ROUNDING_MS;
    const isShort = ms < seen.lowMs - seenSlackMs(seen.lowMs);
    if (isShort) return { ...unstated, lowMs: Math.max(ms, late.lowMs), highMs };
    const sinceMs = Math.min(sinceSeenMs(reading, end) - shownEarlyMs, late.highMs);
    const statedMs = Math.max(ms, sinceMs);
    const told = { statedMs, roundingMs, clocksMs, isOpenEnded, startUp: startUpAt };
    return { lowMs: statedMs - roundingMs, highMs: Math.max(highMs, statedMs), seen, ...told };
  }
  const startUp = startUpOf(reading, end, stamp);
  return {
    lowMs: Math.min(ms, Math.max(ms - startUp.withinMs, late.lowMs)) - roundingMs,
    highMs: Math.max(ms, Math.min(ms + startUp.beforeMs + roundingMs, late.highMs)) + ROUNDING_MS,
    seen,
    statedMs: ms,
    roundingMs,
    clocksMs,
    isOpenEnded,
    startUp: startUpAt,
  };
}

function seenStartUp(reading: JobReading, stamp: StartStamp): RunTime["startUp"] {
  const isSeen = statePolls(reading).some(({ job }) => job.state === "starting");
  if (!isSeen || stamp === "unknown" || stamp === "unseen") return null;
  return stamp === "starting" ? "within" : "before";
}

const UNSTATED = { statedMs: null, roundingMs: 0, clocksMs: 0, isOpenEnded: true } as const;

/** From its submission to its end, as it states them; no bound where that can't be. */
function lifeMs({ createdAt, finishedAt }: Job, { lowMs }: Interval): number {
  if (createdAt === null || finishedAt === null) return Number.POSITIVE_INFINITY;
  const roundingMs = Math.max(ROUNDING_MS, precisionMs(createdAt), precisionMs(finishedAt));
  const ms = finishedAt.ms - createdAt.ms + roundingMs;
  return ms < lowMs ? Number.POSITIVE_INFINITY : ms;
}

/**
 * From the first poll that showed it running to the end that it states, at the least: a duration
 * may be that of a second run. By its stamps from its submission on, so that no clocks are
 * compared; an end may be stamped when it is stored.
 */
function sinceSeenMs(reading: JobReading, { job }: StatePoll): number {
  const running = pollsToEnd(reading).find((poll) => poll.job.state === "running");
  if (running === undefined || job.createdAt === null || job.finishedAt === null) return 0;
  const lifeMs = job.finishedAt.ms - job.createdAt.ms;
  const roundingMs = Math.max(precisionMs(job.createdAt), precisionMs(job.finishedAt));
  const seenAfterMs = running.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  return lifeMs - roundingMs - seenAfterMs - VIEW_LAG_MS - seenSlackMs(lifeMs);
}

/**
 * A run began after the sending of the last poll that saw the job waiting, and before the receipt
 * of the first that saw it run; its end lies likewise. Whether starting up counts as running is
 * open, so it narrows neither bound.
 */
function outsideSpan(reading: JobReading, end: StatePoll, shownEarlyMs: number): Interval {
  const polls = pollsToEnd(reading);
  const endLowMs = polls.at(-2)?.exchange.sentAtMs ?? Number.NEGATIVE_INFINITY;
  return {
    lowMs: Math.max(0, endLowMs - firstRun(polls, end).exchange.receivedAtMs - shownEarlyMs),
    highMs: end.exchange.receivedAtMs - leftQueueMs(reading),
  };
}

/**
 * The same for views that lag: they may have shown the job waiting when it ran, and running when it
 * had ended. What they never do is run ahead, so that it did not run before its submission.
 */
function lateSpan(
  reading: JobReading,
  end: StatePoll,
  { lowMs, highMs }: Interval,
  lagMs: number,
): Interval {
  const longestMs = end.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  return { lowMs: Math.max(0, lowMs - lagMs), highMs: Math.min(longestMs, highMs + lagMs) };
}

/** A time that only views which lag for long leave room for: neither side is believed. */
function reaching({ lowMs, highMs }: Interval, ms: number): Interval {
  return { lowMs: Math.min(lowMs, ms), highMs: Math.max(highMs, ms) };
}

/**
 * Start and end of variant B, else the duration that either variant tells. Limits are whole
 * seconds, so that their jobs' durations are: these tell of a store only beside a submission that
 * is finer. Spec §2.5.
 */
function statedTime(
  job: Job,
): (Pick<RunTime, "roundingMs" | "clocksMs" | "isOpenEnded"> & { ms: number }) | null {
  const { createdAt, startedAt, finishedAt, durationMs } = job;
  if (startedAt !== null && finishedAt !== null && finishedAt.ms >= startedAt.ms) {
    const roundingMs = Math.max(ROUNDING_MS, precisionMs(startedAt), precisionMs(finishedAt));
    const ms = finishedAt.ms - startedAt.ms;
    const clocksMs = Math.min(MACHINES_DIFFER_MS, Math.abs(ms - (durationMs ?? ms)));
    return { ms, roundingMs, clocksMs, isOpenEnded: false };
  }
  if (durationMs === null) return null;
  const isFiner = createdAt !== null && createdAt.isCut !== true;
  const roomMs = finishedAt !== null && isFiner ? durationRoomMs(durationMs, finishedAt) : 0;
  const roundingMs = Math.max(ROUNDING_MS, roomMs);
  return { ms: durationMs, roundingMs, clocksMs: 0, isOpenEnded: true };
}

function contradicts(statedMs: number, { lowMs, highMs }: Interval): boolean {
  const slackMs = seenSlackMs(highMs);
  return statedMs < lowMs - slackMs || statedMs > highMs + slackMs;
}
