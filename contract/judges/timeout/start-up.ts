/**
 * How much of its start-up a job's stated run may leave out or hold. Whether starting up counts as
 * running is open, and so is which of the two begins at `started_at`. Spec §2.5, §3.1.
 */

import { isWaiting } from "../../states.ts";
import { precisionMs } from "../../time/timestamps.ts";
import type { JobReading, StatePoll } from "../job/reading.ts";
import { firstEnd, pollsToEnd, seenSlackMs, statePolls, VIEW_LAG_MS } from "../job/reading.ts";

/**
 * The state with which a service sets `started_at`, as far as its jobs have shown it; `unseen`:
 * they started too fast for any poll, and others may start more slowly.
 */
export type StartStamp = "starting" | "running" | "unseen" | "unknown";

/** At the most; both 0 where no state lies between waiting and running. */
export interface StartUp {
  /** Of the start-up, what came before the stated start. */
  beforeMs: number;
  /** Of the stated run, what was still start-up. */
  withinMs: number;
}

const NONE: StartUp = { beforeMs: 0, withinMs: 0 };

/**
 * What the polls of starting jobs show: unknown where they disagree, or where what is told later
 * lies before them; `assumed` without any.
 */
export function startStampOf(readings: readonly JobReading[], assumed: StartStamp): StartStamp {
  const polls = readings.filter(tellsStartEarly).flatMap(statePolls);
  const starting = polls.filter(({ job }) => job.state === "starting");
  const stamped = starting.filter(({ job }) => job.startedAt !== null).length;
  if (starting.length === 0) return assumed;
  if (stamped === 0) return readings.some(startedBeforeSeen) ? "unknown" : "running";
  return stamped === starting.length ? "starting" : "unknown";
}

/**
 * Whether its stated start, which no poll of the starting job showed, lies before one of them: it
 * may be that of the start-up, and told with the run. By its own times, and since the submission.
 */
function startedBeforeSeen(reading: JobReading): boolean {
  const polls = statePolls(reading);
  const starting = polls.findLast(({ job }) => job.state === "starting");
  const { startedAt, createdAt } = polls.at(-1)?.job ?? { startedAt: null, createdAt: null };
  if (starting === undefined || startedAt === null || createdAt === null) return false;
  const seenMs = starting.exchange.sentAtMs - reading.history.submission.receivedAtMs;
  const roundingMs = Math.max(precisionMs(startedAt), precisionMs(createdAt));
  return startedAt.ms - createdAt.ms + roundingMs + seenSlackMs(seenMs) < seenMs;
}

/** What jobs show whose starts alone were watched. */
export function stampOfStarts(readings: readonly JobReading[]): StartStamp {
  const seen = startStampOf(readings, "unknown");
  const states = new Set(readings.flatMap(statePolls).map(({ job }) => job.state));
  if (seen !== "unknown" || states.has("starting")) return seen;
  return states.has("running") ? "unseen" : "unknown";
}

/** Whether a job showed its start while it ran: others tell their times at the end only. */
function tellsStartEarly(reading: JobReading): boolean {
  return statePolls(reading).some(({ job }) => job.state === "running" && job.startedAt !== null);
}

/** Of a job that was seen ended. Variant A knows no start-up. Spec §3.1. */
export function startUpOf(reading: JobReading, end: StatePoll, stamp: StartStamp): StartUp {
  if (end.job.variant === "A") return NONE;
  const isShort = stamp === "running" || stamp === "unseen";
  return {
    beforeMs: stamp === "starting" ? 0 : Math.max(0, beforeStampMs(reading, end)),
    withinMs: isShort ? 0 : Math.max(0, afterStampMs(reading, end)),
  };
}

/** At the most, from when it left the queue to its stated start: by polls, and by its own words. */
function beforeStampMs(reading: JobReading, end: StatePoll): number {
  const polls = pollsToEnd(reading);
  const shown = polls.find(({ job }) => job.startedAt !== null) ?? firstRun(polls, end);
  const waitedUntilMs = surelyWaitedUntilMs(reading);
  const seenMs = shown.exchange.receivedAtMs - waitedUntilMs;
  const { startedAt, createdAt } = end.job;
  if (startedAt === null || createdAt === null) return seenMs;
  const roundingMs = Math.max(precisionMs(startedAt), precisionMs(createdAt));
  const saidMs = startedAt.ms - createdAt.ms + roundingMs;
  const isContradicted = saidMs < waitedUntilMs - reading.history.submission.receivedAtMs;
  return isContradicted ? seenMs : Math.min(seenMs, saidMs);
}

/** At the most, from its stated start to when it ran for certain. */
function afterStampMs(reading: JobReading, end: StatePoll): number {
  const polls = pollsToEnd(reading);
  const ranMs = firstRun(polls, end).exchange.receivedAtMs;
  const { startedAt, createdAt } = end.job;
  const waitedUntilMs = surelyWaitedUntilMs(reading);
  if (startedAt === null) return ranMs - waitedUntilMs;
  const shown = polls.findIndex(({ job }) => job.startedAt !== null);
  const unshown = tellsStartEarly(reading) ? polls[shown - 1] : undefined;
  const unshownMs = (unshown?.exchange.sentAtMs ?? 0) - VIEW_LAG_MS;
  const afterPollsMs = Math.max(waitedUntilMs, unshownMs);
  const saidMs = createdAt === null ? 0 : startedAt.ms - createdAt.ms - precisionMs(startedAt);
  const afterWaitMs = reading.history.submission.sentAtMs + saidMs;
  return ranMs - (afterWaitMs > ranMs ? afterPollsMs : Math.max(afterPollsMs, afterWaitMs));
}

export function firstRun(polls: readonly StatePoll[], end: StatePoll): StatePoll {
  return polls.find(({ job }) => job.state === "running") ?? end;
}

/** Before then it was waiting for certain, as a view may lag. */
function surelyWaitedUntilMs(reading: JobReading): number {
  return Math.max(reading.history.submission.sentAtMs, leftQueueMs(reading) - VIEW_LAG_MS);
}

/** Before then it was shown waiting. */
export function leftQueueMs(reading: JobReading): number {
  const polls = pollsToEnd(reading);
  const left = polls.findIndex(({ job }) => !isWaiting(job.state));
  return (polls[left - 1]?.exchange ?? reading.history.submission).sentAtMs;
}

/** Ours: what is so of all jobs shows in most of a few; a rerun of single ones does not. */
const JOBS_MIN = 2;

/** As at least half of the jobs show it; 0 where they don't, or by no more than a view may lag. */
export function typicalShownEarly(shownEarlyMs: readonly number[]): number {
  const sorted = [...shownEarlyMs].sort((a, b) => a - b);
  const typicalMs = sorted.length < JOBS_MIN ? 0 : (sorted[(sorted.length - 1) >> 1] ?? 0);
  return typicalMs > VIEW_LAG_MS + seenSlackMs(typicalMs) ? typicalMs : 0;
}

/**
 * Of an ended job of variant A that was seen running, at the least: between polls, or by its own
 * stamps, from its submission on, so that no clocks are compared. null for any other.
 */
export function shownEarlyOf(reading: JobReading): number | null {
  const end = firstEnd(reading);
  const running = pollsToEnd(reading).filter(({ job }) => job.state === "running");
  const [first, last] = [running[0], running.at(-1)];
  if (end === null || first === undefined || last === undefined) return null;
  const { variant, durationMs, createdAt, finishedAt } = end.job;
  if (variant !== "A" || durationMs === null) return null;
  const seenMs = last.exchange.sentAtMs - first.exchange.receivedAtMs - durationMs;
  if (createdAt === null || finishedAt === null) return seenMs;
  const roundingMs = Math.max(precisionMs(createdAt), precisionMs(finishedAt));
  const startMs = finishedAt.ms - createdAt.ms - roundingMs - durationMs;
  const afterMs = first.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  return Math.max(seenMs, startMs - afterMs);
}
