/**
 * Judges of a job object's form: shape, identifier, result, error, files. Spec §2.5 to §2.7, §7.
 */

import type { Job, JobProblem } from "../../decode/job-types.ts";
import type { Seen } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { unobserved } from "../../verdict.ts";
import type { JobReading, Poll } from "./reading.ts";
import { firstEnd, offsetAtMostMs, ownPolls, runVariant, statePolls } from "./reading.ts";
import { aspectFaults, faultOf, judgeSampled } from "./sample.ts";
import { hasSoundTimes } from "./timestamps.ts";

const NO_JOBS = "no job object was seen";

export function judgeShape(readings: readonly JobReading[]): Finding {
  const variant = runVariant(readings);
  const offset = offsetAtMostMs(readings);
  const polls = readings.flatMap((reading) => reading.polls);
  const otherVariant = polls.flatMap((poll): Seen[] => {
    const own = poll.job?.variant ?? variant;
    if (own === variant) return [];
    return [faultOf(poll, `a job object of variant ${own} among those of variant ${variant}`)];
  });
  const missing = readings.flatMap(missingCosts);
  const isOverdue = ({ poll, endSeenAtMs }: MissingCost) =>
    poll.exchange.sentAtMs >= endSeenAtMs + COST_DUE_MS;
  const overdue = missing.filter(isOverdue).map(({ poll, problem: { path, expected, got } }) => {
    const seconds = COST_DUE_MS / 1_000;
    return faultOf(poll, `${path} is ${got} ${seconds} s after the end; expected ${expected}`);
  });
  // Whether those that were not looked at again leave it in doubt.
  const isOpen = missing.length > 0 && readings.filter(isToldLate).length < TOLD_LATE_ENOUGH;
  const faults = [
    ...aspectFaults(readings, "job.shape"),
    ...otherVariant,
    ...readings.flatMap(otherStatus),
    ...readings.flatMap((reading) => unlike(reading, offset)),
    ...overdue,
  ];
  return judgeSampled({
    promise: "job.shape",
    faults,
    open: isOpen ? [{ what: unsettledReason(missing.length) }] : [],
    samples: polls.length,
    kept: `${countText(polls.length, "job object")}, all of variant ${variant}`,
    without: NO_JOBS,
    evidence: { variant },
  });
}

/** How a job that is found is answered, or was in the service's name by a proxy. Spec §4.4. */
const JOB_STATUSES: readonly number[] = [200, 203];

/** The first poll that was answered with another success. */
function otherStatus({ polls }: JobReading): readonly Seen[] {
  const poll = polls.find(({ exchange }) => !JOB_STATUSES.includes(exchange.status));
  if (poll === undefined) return [];
  const { job, exchange } = poll;
  const which = job?.statusText == null ? "a job" : `a ${job.statusText} job`;
  return [faultOf(poll, `${which} was answered with ${exchange.status}; promised 200`)];
}

interface MissingCost {
  poll: Poll;
  problem: JobProblem;
  endSeenAtMs: number;
}

/** Ours: so many that told their cost late speak for those that nobody looked at again. */
const TOLD_LATE_ENOUGH = 10;

/** A cost that was not there at the end, and was later on. */
function isToldLate(reading: JobReading): boolean {
  const seen = statePolls(reading);
  const lacked = seen.some(({ problems }) => problems.some(({ isUnsettled }) => isUnsettled));
  return lacked && missingCosts(reading).length === 0;
}

/** A cost that the last poll of an ended job did not show either. */
function missingCosts(reading: JobReading): readonly MissingCost[] {
  const poll = statePolls(reading).at(-1);
  const problem = poll?.problems.find(({ isUnsettled }) => isUnsettled);
  const end = firstEnd(reading);
  if (poll === undefined || problem === undefined || end === null) return [];
  return [{ poll, problem, endSeenAtMs: end.exchange.receivedAtMs }];
}

/**
 * The first poll that shows another worker or submission time than the accepted object names.
 * Times that contradict themselves are job.timestamps'.
 */
function unlike(reading: JobReading, offset: number | null): readonly Seen[] {
  const { history, accepted } = reading;
  const workerId = accepted?.value?.workerId ?? history.workerId;
  const createdAt = accepted?.value?.createdAt ?? null;
  for (const poll of ownPolls(reading)) {
    if (poll.job === null) continue;
    if (poll.job.workerId !== null && poll.job.workerId !== workerId) {
      const what = `the job's worker is "${poll.job.workerId}"; accepted for "${workerId}"`;
      return [{ what, exchanges: [history.submission, poll.exchange] }];
    }
    const shown = poll.job.createdAt;
    if (createdAt === null || shown === null || !hasSoundTimes(poll, offset)) continue;
    const precision = Math.max(precisionMs(shown), precisionMs(createdAt));
    if (Math.abs(shown.ms - createdAt.ms) <= MACHINES_DIFFER_MS + precision) continue;
    const what = `the job was submitted at ${shown.text}; accepted at ${createdAt.text}`;
    return [{ what, exchanges: [history.submission, poll.exchange] }];
  }
  return [];
}

export function judgeSameId(readings: readonly JobReading[]): Finding {
  const polls = readings.flatMap(({ history, polls }) =>
    history.issuedId === null ? [] : polls.map((poll) => ({ poll, issued: history.issuedId })),
  );
  const named = polls.filter(({ poll }) => poll.job !== null && poll.job.id !== null);
  const faults = named.flatMap(({ poll, issued }): Seen[] => {
    const id = poll.job?.id;
    return id === issued
      ? []
      : [faultOf(poll, `the job object has the identifier "${id}"; issued "${issued}"`)];
  });
  return judgeSampled({
    promise: "job.same-id",
    faults,
    samples: named.length,
    kept: `${countText(named.length, "job object")} with the id that was issued`,
    without: NO_JOBS,
  });
}

export function judgeResultPresent(readings: readonly JobReading[]): Finding {
  const completed = countJobsIn(readings, "completed");
  return judgeSampled({
    promise: "job.result-present",
    faults: aspectFaults(readings, "job.result-present"),
    samples: completed,
    kept: `${countText(completed, "completed job")}, each with its result`,
    without: "no completed job was seen",
  });
}

/** Both halves need a witness: without a failed job nothing is known about its error. */
export function judgeErrorOnlyOnFailure(readings: readonly JobReading[]): Finding {
  const failed = countJobsIn(readings, "failed");
  const [ofFailed, ofOthers] = [true, false].map((isOfFailed) => {
    const of = readings.filter((reading) => hasBeen(reading, "failed") === isOfFailed);
    return { jobs: of.length, faults: aspectFaults(of, "job.error-only-on-failure") };
  });
  const wrong = [ofFailed, ofOthers].flatMap((each) => (each?.faults.length ? [each] : []));
  return judgeSampled({
    promise: "job.error-only-on-failure",
    faults: wrong.flatMap(({ faults }) => faults),
    // What is wrong with some of one kind is told beside all of that kind.
    samples: wrong.length === 0 ? failed : wrong.reduce((sum, { jobs }) => sum + jobs, 0),
    of: "jobs",
    kept: `${countText(failed, "failed job")} with code and message, no other job with an error`,
    without: "no job failed",
  });
}

/** Variant A's job objects have no files. Spec §2.5. */
export function judgeFiles(readings: readonly JobReading[]): Finding {
  const faults = aspectFaults(readings, "job.files");
  if (faults.length === 0 && runVariant(readings) === "A") {
    return unobserved("job.files", "variant A has no files");
  }
  const jobs = readings.flatMap((reading) => reading.polls).flatMap((poll) => poll.job ?? []);
  const entries = jobs.reduce((sum, job) => sum + (job.files?.length ?? 0), 0);
  return judgeSampled({
    promise: "job.files",
    faults,
    samples: entries,
    kept: `${countText(entries, "file entry matches", "file entries match")} the interface`,
    without: "no job had files",
  });
}

function hasBeen({ polls }: JobReading, state: "completed" | "failed"): boolean {
  return polls.some((poll) => poll.job?.state === state);
}

function countJobsIn(readings: readonly JobReading[], state: "completed" | "failed"): number {
  return readings.filter((reading) => hasBeen(reading, state)).length;
}

/** Ours: services that bill after the end mostly do so within seconds. */
export const COST_SETTLED_MS = 20_000;
/** Ours: some do so once a minute, and then take a moment. The specification names no time. */
export const COST_DUE_MS = 65_000;

/** Whether an ended job has yet to tell its charge. A timeout and a cancelled job are free. */
export function lacksCost(job: Job): boolean {
  const isCharged = job.state === "completed" || job.state === "failed";
  return isCharged && tellsNoCost(job);
}

export function tellsNoCost({ cost }: Pick<Job, "cost">): boolean {
  return cost.credits === null && cost.totalUsd === null;
}

function unsettledReason(jobs: number): string {
  const seconds = COST_DUE_MS / 1_000;
  return `${countText(jobs, "job")} may still get a cost, within ${seconds} s of the end`;
}
