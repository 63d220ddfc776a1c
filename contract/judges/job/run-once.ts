/** Judges that a job runs once: one start, by the job's own times and states. Spec §3. */

import type { ListedJob } from "../../decode/job-list.ts";
import { decodeJobList } from "../../decode/job-list.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import { marksIn, marksWithin } from "../../jobs/marks.ts";
import type { Seen } from "../../judging/claim.ts";
import { anythingIf } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { countText } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isBefore, jsonBody } from "../../requests/exchange.ts";
import { MACHINES_DIFFER_MS, utc } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { pollsToEnd, seenSlackMs, statePolls } from "./reading.ts";
import { judgeSampled } from "./sample.ts";

/** Ours: two writings of one start may be rounded, or corrected by a worker that reports late. */
const SAME_START_MS = 1_000;

export function judgeRunOnce(readings: readonly JobReading[]): Finding {
  const started = readings.map(startedPolls).filter((polls) => polls.length > 1);
  const ranAgain = readings.map(secondRun);
  return judgeSampled({
    promise: "job.run-once",
    faults: [...started.flatMap(secondStart), ...ranAgain.filter((each) => each !== null)],
    samples: started.length,
    of: "jobs",
    spread: [{ of: "workers", count: new Set(started.map(([first]) => first?.job.workerId)).size }],
    kept: `${countText(started.length, "job")} read again, none started twice`,
    without: "no job's start was seen twice",
  });
}

/**
 * Polls that tell of the start: a stated one, or in variant A that the job runs or has run. What is
 * stated while the job starts up may be put right when its run begins. Spec §3.1.
 */
function startedPolls(reading: JobReading): readonly StatePoll[] {
  return statePolls(reading).filter(({ job }) => {
    return job.state !== "starting" && startMsOf({ job }) !== null;
  });
}

/** Variant A states an end and how long the job took. */
function startMsOf({ job }: Pick<StatePoll, "job">): number | null {
  if (job.startedAt !== null) return job.startedAt.ms;
  if (job.finishedAt === null || job.durationMs === null || job.durationMs === 0) return null;
  return job.finishedAt.ms - job.durationMs;
}

function secondStart(polls: readonly StatePoll[]): readonly Seen[] {
  for (const [at, later] of polls.entries()) {
    const earlier = polls
      .slice(0, at)
      .find((poll) => isBefore(poll.exchange, later.exchange) && isOther(poll, later));
    if (earlier === undefined) continue;
    const [one, other] = [earlier, later].map((poll) => utc(startMsOf(poll) ?? Number.NaN));
    const what = `job ${later.job.id} started at ${one} and again at ${other}`;
    return [{ what, exchanges: [earlier.exchange, later.exchange] }];
  }
  return [];
}

/** Of two ends that differ no starts are told: that an end moves is job.terminal-final's. */
function isOther(poll: StatePoll, later: StatePoll): boolean {
  const isDerived = poll.job.startedAt === null || later.job.startedAt === null;
  if (isDerived && poll.job.finishedAt?.ms !== later.job.finishedAt?.ms) return false;
  const [one, other] = [startMsOf(poll), startMsOf(later)];
  return one !== null && other !== null && Math.abs(one - other) > SAME_START_MS;
}

/**
 * A job that waits again after it ran, and then tells of a run that is shorter than it was seen to
 * run and wait: what it tells is a second one. A view that only goes to and fro leaves the run.
 * Starts that are stated differ by themselves.
 */
function secondRun(reading: JobReading): Seen | null {
  const path = pollsToEnd(reading);
  const [last, end] = path.slice(-2);
  const ran = path.find(({ job }) => job.state === "running");
  if (last === undefined || end?.job.durationMs == null || ran === undefined) return null;
  if (end.job.startedAt !== null) return null;
  const waiting = path.find(({ job, exchange }) => {
    return job.state === "queued" && isBefore(ran.exchange, exchange);
  });
  const leastMs = last.exchange.sentAtMs - ran.exchange.receivedAtMs;
  const { id, durationMs } = end.job;
  if (waiting === undefined || durationMs >= leastMs - seenSlackMs(leastMs)) return null;
  const [ranAt, waitedAt] = [ran.exchange.receivedAtMs, waiting.exchange.sentAtMs].map(utc);
  const states = `was running at ${ranAt}, queued again at ${waitedAt}`;
  const what = `job ${id} ${states}, and states a run of ${durationMs} ms`;
  return { what, exchanges: [ran.exchange, waiting.exchange, end.exchange] };
}

interface Marked extends ListedJob {
  mark: string;
  list: Exchange;
}

/** Ours: dates of a list may be in whole seconds. */
const WHOLE_SECOND_MS = 1_000;

/**
 * Whether a submission started two jobs, as where a gateway sends it again: a list shows a job that
 * nobody was told of, with the mark of another one's input, of the same worker, and accepted while
 * that submission was on its way. None where not. A worker may also return what others made.
 */
export function judgeStartedOnce(
  jobs: readonly JobHistory[],
  lists: readonly Exchange[],
): readonly Finding[] {
  const marked = new Map(lists.flatMap(markedIn).map((each) => [each.id, each]));
  const issued = new Set(jobs.map(({ issuedId }) => issuedId));
  const faults = [...marked.values()].flatMap(
    ({ id, mark, workerId, createdAtMs, list }): Seen[] => {
      const sent = jobs.filter(({ submission }) => submission.requestBody?.includes(mark));
      const [job] = sent;
      if (sent.length !== 1 || job === undefined || issued.has(id)) return [];
      // Lists may have identifiers of their own: only beside the issued one another tells.
      const own = marked.get(job.issuedId ?? "");
      const isTwin = workerId === job.workerId && own?.mark === mark;
      if (!isTwin) return [];
      const apartMs = apart(own.createdAtMs, createdAtMs);
      const { sentAtMs, receivedAtMs } = job.submission;
      const mostMs = receivedAtMs - sentAtMs + MACHINES_DIFFER_MS + WHOLE_SECOND_MS;
      if (apartMs !== null && apartMs > mostMs) return [];
      const isUndated = apartMs === null;
      const what = `one submission started two jobs: ${job.issuedId}, which it was told, and ${id}`;
      const above = anythingIf(isUndated, "others' use", ANOTHERS_TEXT);
      return [{ what, exchanges: [job.submission, list], above }];
    },
  );
  const good = Math.max(0, marked.size - 2 * faults.length);
  return judgeFaultsAlone({ promise: "job.run-once", faults, good, of: "submissions" });
}

const ANOTHERS_TEXT = "the list has no dates, and the job may be another's that was given the same";

/** null where one of them is not known. */
function apart(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.abs(one - other);
}

/** Jobs that show the mark of one input, and of no other. */
function markedIn(list: Exchange): readonly Marked[] {
  if (list.status !== 200 || marksIn(list.body).length === 0) return [];
  return (decodeJobList(jsonBody(list))?.jobs ?? []).flatMap((job) => {
    const [mark, ...others] = marksWithin(job.entry);
    return mark === undefined || others.length > 0 ? [] : [{ ...job, mark, list }];
  });
}
