/** When jobs changed their states, as intervals that hold the moment, for the report's plot. */

import { medianOf, rounded } from "../../numbers/figures.ts";
import type { TransitionSeries } from "../../run/series.ts";
import { keptFew } from "../../run/series.ts";
import type { State } from "../../states.ts";
import { isTerminal, stateRank } from "../../states.ts";
import type { JobSeen } from "../steps.ts";
import { goneAtLast } from "./never-lost.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { firstEnd, readHistories, statePolls } from "./reading.ts";

/** Ours: rows that a reader takes in. */
const JOBS_MAX = 16;
/** Ours: a job has up to five; one that goes to and fro is seen by its first ones. */
const TRANSITIONS_MAX = 16;
/** Ours: a last change this many times as wide as the median one was not watched. */
const UNWATCHED_TIMES = 5;
/** Ours: decimals of a millisecond that a table shows. */
const STATED_DIGITS = 3;

type Transition = TransitionSeries["transitions"][number];

export function transitionSeries(jobs: readonly JobSeen[]): readonly TransitionSeries[] {
  const parts = new Map(jobs.map((job) => [job.submission, job.part]));
  const rows = readHistories(jobs)
    .filter((each) => each.accepted !== null && (each.polls.length > 0 || isGone(each)))
    .map((reading) => rowOf(reading, parts.get(reading.history.submission) ?? null));
  return keptFew(closelyWatchedFirst(rows), JOBS_MAX, ({ isOffender }) => isOffender);
}

/** Jobs first read long after their end would stretch the plot's time and show nothing in it. */
function closelyWatchedFirst(rows: readonly TransitionSeries[]): readonly TransitionSeries[] {
  if (rows.length <= JOBS_MAX) return rows;
  const mostMs = UNWATCHED_TIMES * medianOf(rows.map(lastChangeMs));
  const isWatched = (row: TransitionSeries) => lastChangeMs(row) <= mostMs;
  return [...rows.filter(isWatched), ...rows.filter((row) => !isWatched(row))];
}

function lastChangeMs({ transitions }: TransitionSeries): number {
  const last = transitions.at(-1);
  return last === undefined ? 0 : last.latestMs - last.earliestMs;
}

function rowOf(reading: JobReading, part: string | null): TransitionSeries {
  const { submission, issuedId, polls } = reading.history;
  const pollsSeen = statePolls(reading);
  const originMs = submission.sentAtMs;
  const issued: State = reading.accepted?.value?.state ?? "queued";
  const first = { earliestMs: 0, latestMs: submission.receivedAtMs - originMs, statedMs: null };
  const transitions = changes(pollsSeen, issued).map(({ before, poll }) => ({
    state: poll.job.state,
    earliestMs: (before ?? submission).sentAtMs - originMs,
    latestMs: poll.exchange.receivedAtMs - originMs,
    statedMs: statedMs(poll),
  }));
  const delayMs = creationDelayMs(transitions, first.latestMs);
  const placed = transitions.map((each) => ({
    ...each,
    statedMs: each.statedMs === null ? null : each.statedMs + delayMs,
  }));
  const unknown = reading.polls.some(({ job }) => job !== null && job.state === null);
  return {
    jobId: issuedId ?? "",
    part: part ?? "no part",
    transitions: [{ state: issued, ...first }, ...placed].slice(0, TRANSITIONS_MAX),
    watchedUntilMs: (polls.at(-1) ?? submission).receivedAtMs - originMs,
    isOffender:
      unknown || firstEnd(reading) === null || isGone(reading) || movesBackward(pollsSeen),
  };
}

function isGone({ history }: JobReading): boolean {
  return goneAtLast(history.polls).length > 0;
}

/**
 * How long after the sending of the submission the job was created: before the answer to it, and so
 * that stated times agree with what was seen, where one delay does that for all of them.
 */
function creationDelayMs(transitions: readonly Transition[], answeredMs: number): number {
  const bounds = transitions.flatMap(({ earliestMs, latestMs, statedMs: stated }) =>
    stated === null ? [] : [{ low: earliestMs - stated, high: latestMs - stated }],
  );
  const low = Math.max(0, ...bounds.map((each) => each.low));
  const high = Math.min(answeredMs, ...bounds.map((each) => each.high));
  return Math.round(low <= high ? (low + high) / 2 : answeredMs / 2);
}

/** The polls that were the first to see another state, each with the one before it. */
function changes(polls: readonly StatePoll[], issued: State) {
  return polls.flatMap((poll, at) => {
    const before = polls[at - 1];
    if ((before?.job.state ?? issued) === poll.job.state) return [];
    return [{ before: before?.exchange ?? null, poll }];
  });
}

/** By the service's own times after the submission that it states; they need no clock offset. */
function statedMs({ job }: StatePoll): number | null {
  const stated = isTerminal(job.state) ? job.finishedAt : null;
  const moment = job.state === "running" ? job.startedAt : stated;
  if (moment === null || job.createdAt === null) return null;
  // Services that state nanoseconds leave binary fractions.
  return rounded(moment.ms - job.createdAt.ms, STATED_DIGITS);
}

function movesBackward(polls: readonly StatePoll[]): boolean {
  return polls.some((poll, at) => {
    const before = polls[at - 1];
    if (before === undefined) return false;
    const [from, to] = [before.job.state, poll.job.state];
    return stateRank(to) < stateRank(from) || (isTerminal(from) && from !== to);
  });
}
