/**
 * Judges of a job object's form: shape, identifier, result, error, files. Spec §2.5 to §2.7, §7.
 */

import type { JobProblem } from "../../decode/job-types.ts";
import type { Seen } from "../../judging/claim.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { unobserved } from "../../verdict.ts";
import { offsetAtMostMs } from "./clock-offset.ts";
import type { JobReading, Look } from "./reading.ts";
import { firstEnd, runVariant, stateLooks } from "./reading.ts";
import { aspectFaults, count, faultOf, judgeSampled } from "./sample.ts";
import { COST_SETTLED_MS, unsettledReason } from "./settled-cost.ts";
import { hasSoundTimes } from "./timestamps.ts";

const NO_JOBS = "no job object was seen";

export function judgeShape(readings: readonly JobReading[]): Finding {
  const variant = runVariant(readings);
  const offset = offsetAtMostMs(readings);
  const looks = readings.flatMap((reading) => reading.looks);
  const strangers = looks.flatMap((look): Seen[] => {
    const own = look.job?.variant ?? variant;
    if (own === variant) return [];
    return [faultOf(look, `a job object of variant ${own} among those of variant ${variant}`)];
  });
  const missing = readings.flatMap(missingCosts);
  const isOverdue = ({ look, endSeenAtMs }: MissingCost) =>
    look.exchange.sentAtMs >= endSeenAtMs + COST_SETTLED_MS;
  const overdue = missing.filter(isOverdue).map(({ look, problem: { path, expected, got } }) => {
    const seconds = COST_SETTLED_MS / 1_000;
    return faultOf(look, `${path} is ${got} ${seconds} s after the end; expected ${expected}`);
  });
  const faults = [
    ...aspectFaults(readings, "job.shape"),
    ...strangers,
    ...readings.flatMap((reading) => unlike(reading, offset)),
    ...overdue,
  ];
  return judgeSampled({
    promise: "job.shape",
    faults,
    open: missing.length === 0 ? [] : [{ what: unsettledReason(missing.length) }],
    samples: looks.length,
    kept: `${count(looks.length, "job object")}, all of variant ${variant}`,
    without: NO_JOBS,
    evidence: { variant },
  });
}

interface MissingCost {
  look: Look;
  problem: JobProblem;
  endSeenAtMs: number;
}

/** A cost that the last look at an ended job did not show either. */
function missingCosts(reading: JobReading): readonly MissingCost[] {
  const look = stateLooks(reading).at(-1);
  const problem = look?.problems.find(({ isUnsettled }) => isUnsettled);
  const end = firstEnd(reading);
  if (look === undefined || problem === undefined || end === null) return [];
  return [{ look, problem, endSeenAtMs: end.exchange.receivedAtMs }];
}

/**
 * The first look at another worker or submission time than the accepted object names. Times that
 * contradict themselves are job.timestamps'.
 */
function unlike({ history, accepted, looks }: JobReading, offset: number | null): readonly Seen[] {
  const workerId = accepted?.value?.workerId ?? history.workerId;
  const createdAt = accepted?.value?.createdAt ?? null;
  for (const look of looks) {
    if (look.job === null) continue;
    if (look.job.workerId !== null && look.job.workerId !== workerId) {
      const what = `the job's worker is "${look.job.workerId}"; accepted for "${workerId}"`;
      return [{ what, exchanges: [history.submission, look.exchange] }];
    }
    const shown = look.job.createdAt;
    if (createdAt === null || shown === null || !hasSoundTimes(look, offset)) continue;
    const precision = Math.max(precisionMs(shown), precisionMs(createdAt));
    if (Math.abs(shown.ms - createdAt.ms) <= MACHINES_DIFFER_MS + precision) continue;
    const what = `the job was submitted at ${shown.text}; accepted at ${createdAt.text}`;
    return [{ what, exchanges: [history.submission, look.exchange] }];
  }
  return [];
}

export function judgeSameId(readings: readonly JobReading[]): Finding {
  const looks = readings.flatMap(({ history, looks }) =>
    history.issuedId === null ? [] : looks.map((look) => ({ look, issued: history.issuedId })),
  );
  const named = looks.filter(({ look }) => look.job !== null && look.job.id !== null);
  const faults = named.flatMap(({ look, issued }): Seen[] => {
    const id = look.job?.id;
    return id === issued ? [] : [faultOf(look, `the job calls itself "${id}"; issued "${issued}"`)];
  });
  return judgeSampled({
    promise: "job.same-id",
    faults,
    samples: named.length,
    kept: `${count(named.length, "job object")} with the id that was issued`,
    without: NO_JOBS,
  });
}

export function judgeResultPresent(readings: readonly JobReading[]): Finding {
  const completed = countJobsIn(readings, "completed");
  return judgeSampled({
    promise: "job.result-present",
    faults: aspectFaults(readings, "job.result-present"),
    samples: completed,
    kept: `${count(completed, "completed job")}, each with its result`,
    without: "no completed job was seen",
  });
}

/** Both halves need a witness: without a failed job nothing is known about its error. */
export function judgeErrorOnlyOnFailure(readings: readonly JobReading[]): Finding {
  const failed = countJobsIn(readings, "failed");
  return judgeSampled({
    promise: "job.error-only-on-failure",
    faults: aspectFaults(readings, "job.error-only-on-failure"),
    samples: failed,
    kept: `${count(failed, "failed job")} with code and message, no other job with an error`,
    without: "no failed job was seen",
  });
}

/** Variant A's job objects have no files. Spec §2.5. */
export function judgeFiles(readings: readonly JobReading[]): Finding {
  const faults = aspectFaults(readings, "job.files");
  if (faults.length === 0 && runVariant(readings) === "A") {
    return unobserved("job.files", "variant A has no files");
  }
  const jobs = readings.flatMap((reading) => reading.looks).flatMap((look) => look.job ?? []);
  const entries = jobs.reduce((sum, job) => sum + (job.files?.length ?? 0), 0);
  return judgeSampled({
    promise: "job.files",
    faults,
    samples: entries,
    kept: `${count(entries, "file entry matches", "file entries match")} the interface`,
    without: "no job with files was seen",
  });
}

function countJobsIn(readings: readonly JobReading[], state: "completed" | "failed"): number {
  return readings.filter(({ looks }) => looks.some((look) => look.job?.state === state)).length;
}
