/**
 * cancel.queued: a request cancels its job, and no other. The system may cancel jobs for reasons of
 * its own (spec §3.1), as where a queue is full: only several that end with one that was cancelled
 * as asked, after that was sent, while no job is cancelled at any other time, are taken along by
 * that request. Spec §4.6.
 */

import { judgeFaultsAlone } from "../../judging/decide.ts";
import { isSuccess } from "../../requests/exchange.ts";
import { stampedAlone } from "../../timeline/observation.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "../job/reading.ts";
import { firstEnd, offsetAtMostMs, ROUNDING_MS } from "../job/reading.ts";

/** Ours: stamps of whole seconds differ by so much; jobs are taken along by one statement. */
const WITH_MS = 1_000;
/** Ours: one may be the system's. */
const ALONG_MIN = 2;

interface Cancelled {
  reading: JobReading;
  end: StatePoll;
  /** By the service's clock. */
  endMs: number;
  /** Observer's, when it ended at the earliest; null where the clocks are not known. */
  notBeforeMs: number | null;
}

/** None where there are none. */
export function judgeCancelledAlong(readings: readonly JobReading[]): readonly Finding[] {
  const offsetMs = offsetAtMostMs(readings);
  const cancelled = readings.flatMap((reading) => cancelledIn(reading, offsetMs) ?? []);
  const isAsked = ({ reading }: Cancelled) => reading.history.cancelRequests.some(isSuccess);
  const asked = cancelled.filter(isAsked);
  const alone = cancelled.filter(({ reading }) => reading.history.cancelRequests.length === 0);
  const along = alone.flatMap((each) => {
    const cause = asked.find((other) => isWith(each, other));
    return cause === undefined ? [] : [{ each, cause }];
  });
  if (along.length < ALONG_MIN || along.length < alone.length) return [];
  const faults = along.map(({ each, cause }) => ({
    what:
      `job ${each.reading.history.issuedId} was cancelled with job ` +
      `${cause.reading.history.issuedId}, for which alone that was asked; promised that one`,
    exchanges: [...cause.reading.history.cancelRequests.slice(0, 1), each.end.exchange],
  }));
  return judgeFaultsAlone({ promise: "cancel.queued", faults, of: "jobs" });
}

function cancelledIn(reading: JobReading, offsetMs: number | null): Cancelled | null {
  const end = firstEnd(reading);
  const finishedAt = end?.job.finishedAt ?? null;
  const stamp = stampedAlone(finishedAt);
  if (end?.job.state !== "cancelled" || finishedAt === null || stamp === null) return null;
  const notBeforeMs = offsetMs === null ? null : stamp.lowMs - offsetMs;
  return { reading, end, endMs: finishedAt.ms, notBeforeMs };
}

/** Both ended at one time, of the same worker, not before the request was sent for the other. */
function isWith(each: Cancelled, other: Cancelled): boolean {
  const isAlike = each.reading.history.workerId === other.reading.history.workerId;
  const request = other.reading.history.cancelRequests.find(isSuccess);
  const sentAtMs = request?.sentAtMs ?? Infinity;
  const isAfter = each.notBeforeMs !== null && each.notBeforeMs >= sentAtMs - ROUNDING_MS;
  return isAlike && isAfter && Math.abs(each.endMs - other.endMs) <= WITH_MS;
}
