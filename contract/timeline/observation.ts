/** What a witness says of a job: the timeline's only input. */

import type { Job } from "../decode/job-types.ts";
import type { State } from "../states.ts";
import type { ParsedTimestamp } from "../time/timestamps.ts";
import { durationRoomMs, precisionMs } from "../time/timestamps.ts";
import type { Interval } from "./interval.ts";

/** Times of a job on the service's own clock; null for one that it did not state. */
export interface Stamps {
  created: Interval | null;
  started: Interval | null;
  finished: Interval | null;
}

export const NO_STAMPS: Stamps = { created: null, started: null, finished: null };

/** A poll of the job: its state at some moment between sending and receipt. */
export interface Poll {
  kind: "accepted" | "poll";
  sentAtMs: number;
  receivedAtMs: number;
  state: State;
  stamps: Stamps;
}

/** A webhook: the job was in that state when it arrived. */
export interface Notice {
  kind: "delivery";
  arrivedAtMs: number;
  state: State;
  stamps: Stamps;
  /** When the event fired, on the service's clock: the state was reached by then. Spec §6. */
  fired: Interval | null;
}

/** The probe did not run, or its clock is another one since: earlier times can't be compared. */
export interface Gap {
  kind: "gap";
  atMs: number;
}

export type Observation = Poll | Notice | Gap;

/** What a job object says of its own times. Variant A states the end and the duration. */
export function stampsOf(job: Job): Stamps {
  const finished = stamped(job.finishedAt);
  return {
    created: stamped(job.createdAt),
    started: stamped(job.startedAt) ?? startedFrom(finished, job),
    finished,
  };
}

/** Ours: a duration in whole milliseconds may be rounded either way. */
const ROUNDING_MS = 1;

/** A duration of 0 of a job that was cancelled or failed tells of no start: it never ran. */
function startedFrom(finished: Interval | null, job: Job): Interval | null {
  const { durationMs, finishedAt, state } = job;
  const mustHaveRun = state === "completed" || state === "timeout";
  if (finished === null || finishedAt === null || durationMs === null) return null;
  if (durationMs === 0 && !mustHaveRun) return null;
  const roomMs = Math.max(ROUNDING_MS, durationRoomMs(durationMs, finishedAt));
  return {
    lowMs: finished.lowMs - durationMs - roomMs,
    highMs: finished.highMs - durationMs + roomMs,
  };
}

/** A timestamp may have lost the digits that it does not show. */
export function stamped(timestamp: ParsedTimestamp | null): Interval | null {
  if (timestamp === null) return null;
  return { lowMs: timestamp.ms, highMs: timestamp.ms + precisionMs(timestamp) };
}

/** The same of a time with none beside it; at the full second a store may have kept no more. */
export function stampedAlone(timestamp: ParsedTimestamp | null): Interval | null {
  const isWhole = timestamp !== null && timestamp.ms % 1_000 === 0;
  return stamped(isWhole ? { ...timestamp, isCut: true } : timestamp);
}
