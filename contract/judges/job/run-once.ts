/** Judges that a job runs once: one start, by the job's own times and states. Spec §3. */

import type { Seen } from "../../judging/claim.ts";
import { utc } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { isBefore, pollsToEnd, seenSlackMs, statePolls } from "./reading.ts";
import { count, judgeSampled } from "./sample.ts";

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
    kept: `${count(started.length, "job")} read again, none started twice`,
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
