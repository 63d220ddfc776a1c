/**
 * cancel.queued: a request cancels its job, and no other. The system may cancel jobs for reasons of
 * its own (spec §3.1): only several that end with one that was cancelled as asked, while no job is
 * cancelled at any other time, are taken along by that request. Spec §4.6.
 */

import { isSuccess } from "../exchange.ts";
import { judgeFaultsAlone } from "../judging/decide.ts";
import type { Finding } from "../verdict.ts";
import type { JobReading, StatePoll } from "./job/reading.ts";
import { firstEnd } from "./job/reading.ts";

/** Ours: stamps of whole seconds differ by so much; jobs are taken along by one statement. */
const WITH_MS = 1_000;
/** Ours: one may be the system's. */
const ALONG_MIN = 2;

interface Cancelled {
  reading: JobReading;
  end: StatePoll;
  endMs: number;
}

/** None where there are none. */
export function judgeCancelledAlong(readings: readonly JobReading[]): readonly Finding[] {
  const cancelled = readings.flatMap((reading) => cancelledIn(reading) ?? []);
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

function cancelledIn(reading: JobReading): Cancelled | null {
  const end = firstEnd(reading);
  const endMs = end?.job.finishedAt?.ms;
  if (end?.job.state !== "cancelled" || endMs === undefined) return null;
  return { reading, end, endMs };
}

/** Both ended at one time, of the same worker, by the service's own clock. */
function isWith(each: Cancelled, other: Cancelled): boolean {
  const isAlike = each.reading.history.workerId === other.reading.history.workerId;
  return isAlike && Math.abs(each.endMs - other.endMs) <= WITH_MS;
}
