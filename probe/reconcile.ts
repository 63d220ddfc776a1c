/**
 * Which job a submission became whose answer was lost: there is no idempotency key, so the job list
 * is searched. A delivery of the webhook, whose token is the submission's own, names it as well.
 */

import type { JobList, ListedJob } from "../contract/decode/job-list.ts";
import type { Resolution } from "./events.ts";
import type { Interval } from "./tracker/interval.ts";

export interface LostSubmission {
  workerId: string;
  mark: string | null;
  sentAtMs: number;
  /** When the answer was given up. */
  lostAtMs: number;
}

export interface Surroundings {
  /** Whether a job is known to be another submission's. */
  isKnown: (jobId: string) => boolean;
  /** Service minus probe; null while unknown. */
  offset: Interval | null;
  /** Whether other submissions to the worker are unresolved: then time can't tell them apart. */
  hasRivals: boolean;
}

/** Ours: where the offset is unknown, clocks of servers are taken to agree this well. */
const UNKNOWN_OFFSET: Interval = { lowMs: -2_000, highMs: 2_000 };
/** Ours: a POST may be worked off some time after its sender has given up. */
const LATE_MS = 5_000;

/** null when the list does not say, or leaves a doubt. */
export function findSubmission(
  list: JobList,
  lost: LostSubmission,
  { isKnown, offset, hasRivals }: Surroundings,
): { jobId: string; how: Resolution } | null {
  const fresh = list.jobs.filter(({ id }) => !isKnown(id));
  const marked = fresh.filter((job) => bears(job, lost.mark));
  if (marked.length > 0) {
    const [only, ...rest] = marked;
    return only === undefined || rest.length > 0 ? null : { jobId: only.id, how: "marker" };
  }
  const plausible = fresh.filter((job) => isInTime(job, lost, offset ?? UNKNOWN_OFFSET));
  const [only, ...rest] = plausible;
  if (only === undefined || rest.length > 0 || hasRivals) return null;
  return { jobId: only.id, how: "list" };
}

function bears({ entry }: ListedJob, mark: string | null): boolean {
  return mark !== null && (JSON.stringify(entry) ?? "").includes(mark);
}

/** Created for this worker while the POST was under way: both must be shown to be a sign. */
function isInTime(job: ListedJob, lost: LostSubmission, offset: Interval): boolean {
  if (job.workerId !== lost.workerId || job.createdAtMs === null) return false;
  const earliest = lost.sentAtMs + offset.lowMs;
  const latest = lost.lostAtMs + LATE_MS + offset.highMs;
  return job.createdAtMs >= Math.floor(earliest) - 1 && job.createdAtMs <= latest;
}
