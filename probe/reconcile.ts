/**
 * Which job a submission became whose answer was lost: there is no idempotency key, so the job list
 * is searched. Time and worker only say which jobs it may be, as others may use the account; which
 * it is, is shown by the mark in its input or by the webhook token: they are the submission's own.
 */

import type { JobList, ListedJob } from "../contract/decode/job-list.ts";
import { marksIn } from "../contract/jobs/marks.ts";
import { LISTED_JOBS_MAX } from "../contract/plans.ts";
import type { Interval } from "../contract/timeline/interval.ts";

export interface LostSubmission {
  workerId: string;
  mark: string | null;
  token: string | null;
  sentAtMs: number;
  /** When the answer was given up. */
  lostAtMs: number;
}

export interface Surroundings {
  /** Whether a job is known to be another submission's. */
  isKnown: (jobId: string) => boolean;
  /** Service minus probe; null while unknown. */
  offset: Interval | null;
}

/** Ours: where the offset is unknown, clocks of servers are taken to agree this well. */
const UNKNOWN_OFFSET: Interval = { lowMs: -2_000, highMs: 2_000 };
/** Ours: a POST may be worked off some time after its sender has given up. */
const LATE_MS = 5_000;

/** What in a text shows that it is about the submission. */
export type Evidence = "marker" | "webhook";

export function evidenceIn(text: string, lost: LostSubmission): Evidence | null {
  if (lost.mark !== null && text.includes(lost.mark)) return "marker";
  return lost.token !== null && text.includes(lost.token) ? "webhook" : null;
}

/** Whether a text shows that it is about a submission of another run, or probe, or of a gate. */
export function isAnothersRun(text: string, lost: LostSubmission): boolean {
  return evidenceIn(text, lost) === null && marksIn(text).length > 0;
}

/** The one entry of the list that shows to be the submission's; null when it does not say. */
export function findSubmission(
  list: JobList,
  lost: LostSubmission,
  { isKnown }: Surroundings,
): { jobId: string; how: Evidence } | null {
  const shown = list.jobs.flatMap(({ id, entry }) => {
    const how = isKnown(id) ? null : evidenceIn(JSON.stringify(entry) ?? "", lost);
    return how === null ? [] : [{ jobId: id, how }];
  });
  const [only, ...rest] = shown;
  return only === undefined || rest.length > 0 ? null : only;
}

/** Jobs that it may be, whose own answers may show it. */
export function candidatesIn(
  list: JobList,
  lost: LostSubmission,
  { isKnown, offset }: Surroundings,
): readonly string[] {
  return list.jobs
    .filter((job) => !isKnown(job.id) && isPossible(job, lost, offset ?? UNKNOWN_OFFSET))
    .filter(({ entry }) => !isAnothersRun(JSON.stringify(entry) ?? "", lost))
    .map(({ id }) => id);
}

/** For this worker, and created while the POST was under way; where the entry says so. */
function isPossible(job: ListedJob, lost: LostSubmission, offset: Interval): boolean {
  if (job.workerId !== null && job.workerId !== lost.workerId) return false;
  if (job.createdAtMs === null) return true;
  const latest = lost.lostAtMs + LATE_MS + offset.highMs;
  return job.createdAtMs >= earliestMs(lost, offset) && job.createdAtMs <= latest;
}

/** The job was not created before, by the service's clock and in whole milliseconds. */
function earliestMs(lost: LostSubmission, offset: Interval): number {
  return Math.floor(lost.sentAtMs + offset.lowMs) - 1;
}

/**
 * Whether these jobs, as far as they were read and in that order, are all that the submission's
 * may be among, whatever follows: the hundred latest (Spec §4.5), or the latest first, back to one
 * from before the submission. Of jobs with the same time nobody knows the order.
 */
export function reachesBack(
  { jobs }: JobList,
  lost: LostSubmission,
  { offset }: Pick<Surroundings, "offset">,
): boolean {
  const times = jobs.map(({ createdAtMs }) => createdAtMs ?? Number.NaN);
  const [first, last] = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN];
  if (jobs.length >= LISTED_JOBS_MAX && !(first < last)) return true;
  const isLatestFirst = times.every((ms, at) => at === 0 || ms <= (times[at - 1] ?? Number.NaN));
  return isLatestFirst && first > last && last < earliestMs(lost, offset ?? UNKNOWN_OFFSET);
}
