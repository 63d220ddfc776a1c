/** Whether a job that was to be cancelled has begun, by what it tells and shows. Spec §3.2. */

import { jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isTerminal, isWaiting } from "../../states.ts";
import { precisionMs } from "../../time/timestamps.ts";
import { VIEW_LAG_MS } from "../job/reading.ts";
import type { CancelTrial } from "./cancel-trial.ts";
import { readable } from "./cancel-trial.ts";

/** Ours: what a duration leaves out of a run at the most, if it is that of its work. */
const START_UP_MS = 2_000;

/** Whether by what was seen and by its own times it never began: a failure may have no run. */
export function hasNoRun(jobs: readonly Job[]): boolean {
  return jobs.every(
    ({ state, startedAt, durationMs }) =>
      startedAt === null && (durationMs ?? 0) === 0 && (isWaiting(state) || state === "failed"),
  );
}

/**
 * Whether it may have started before the request was answered: a view that still showed it waiting
 * was late then. Times of a run may leave its start-up out, which is no waiting any more, so that a
 * wait is proven by a poll alone, of a time when views may lag no longer.
 */
export function mayHaveStarted(trial: CancelTrial, last: Job): boolean {
  const { submission, cancel } = trial;
  if (submission === undefined || last.createdAt === null) return false;
  const startMs = startOf(trial, last);
  const settledMs = cancel.receivedAtMs + VIEW_LAG_MS;
  const later = trial.after.filter(({ sentAtMs }) => sentAtMs > settledMs);
  const isSeenWaiting = readable(later).some(({ state }) => isWaiting(state));
  // A job of variant A that still runs tells no start, and one whose times can't be read none.
  if (!isSeenWaiting) return startMs !== null || last.state === "running" || !tellsStart(last);
  return startMs !== null && startMs <= cancel.receivedAtMs;
}

/**
 * When it started by its own times, on this machine's clock at the earliest: in whole seconds it
 * may have been accepted up to one later than is told. null: untold.
 */
function startOf({ submission }: CancelTrial, job: Job): number | null {
  const { createdAt, startedAt, finishedAt, durationMs } = job;
  if (submission === undefined || createdAt === null) return null;
  const ranSinceMs = finishedAt !== null && durationMs !== null ? finishedAt.ms - durationMs : null;
  const startMs = startedAt?.ms ?? ranSinceMs;
  if (startMs === null) return null;
  return submission.sentAtMs + startMs - createdAt.ms - precisionMs(createdAt);
}

/** Whether its times are there and can be read: without one it has no start to tell. */
function tellsStart({ variant, startedAt, finishedAt, durationMs }: Job): boolean {
  return startedAt !== null || variant === "B" || (finishedAt !== null && durationMs !== null);
}

/**
 * Whether by its own times it may have before the answer: the request and its start crossed. A
 * duration alone may leave out the start-up, which is no waiting any more.
 */
export function hadStarted(trial: CancelTrial, job: Job): boolean {
  const startMs = startOf(trial, job);
  const startUpMs = job.startedAt === null ? START_UP_MS : 0;
  return startMs !== null && startMs - startUpMs <= trial.cancel.receivedAtMs;
}

/** Ours: a duration in whole seconds is shorter by as much. */
const LIFE_SLACK_MS = 1_000;

/**
 * What a cancelled job tells of a run. Of its cost the run's own part does: whether a place in the
 * queue is infrastructure that costs something is open. The run that it states may be its start-up,
 * in which a job may be cancelled as well (spec §3.1): that lasts no longer than from the last poll
 * that showed it waiting to the first that showed it cancelled, as a cancel may take its time. A
 * duration beside no start may be that of its whole life, which is no run: in variant A, which
 * tells no start, where it is as long as that.
 */
export function traceOfRun(
  { submission, before, cancel, after }: CancelTrial,
  job: Job,
): string | null {
  if (hasResult(job)) return "has a result";
  const { credits, runUsd, totalUsd } = job.cost;
  const cost = Math.max(credits ?? 0, runUsd ?? totalUsd ?? 0);
  if (cost > 0) return `costs ${cost}`;
  const { startedAt, finishedAt, durationMs } = job;
  const statedMs = startedAt === null || finishedAt === null ? 0 : finishedAt.ms - startedAt.ms;
  const ranMs = Math.max(durationMs ?? 0, statedMs);
  const ended = after.findIndex((poll) => isTerminal(jobIn(poll)?.state));
  const isWait = (poll: Exchange) => isWaiting(jobIn(poll)?.state);
  const lastOpen = after[ended - 1] ?? cancel;
  const openMs = lastOpen.sentAtMs - (submission?.receivedAtMs ?? Number.NEGATIVE_INFINITY);
  const isOfLife = startedAt === null && (job.variant === "B" || ranMs >= openMs - LIFE_SLACK_MS);
  const waited = (isOfLife ? submission : null) ?? after.slice(0, ended).findLast(isWait) ?? before;
  const endedAtMs = after[ended]?.receivedAtMs ?? before.sentAtMs;
  const lawfulMs = endedAtMs - waited.sentAtMs + VIEW_LAG_MS;
  return ranMs > lawfulMs ? `says that it ran for ${ranMs} ms` : null;
}

function hasResult(job: Job): boolean {
  const { result, output } = job.raw;
  const isFull = (value: unknown) =>
    typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (job.variant === "A") return isFull(result);
  const { data, items } = (isFull(output) ? output : {}) as { data?: unknown; items?: unknown };
  return isFull(data) || isFull(items);
}
