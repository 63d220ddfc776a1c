/** Jobs that were followed for another reason, held against the limits that their workers tell. */

import { decodeWorker } from "../../decode/worker.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import { NO_FAULTS } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import { jsonBody } from "../../requests/exchange.ts";
import { workerInPath } from "../../requests/routes.ts";
import type { PromisedTimes } from "../../run/run-plan.ts";
import type { Finding } from "../../verdict.ts";
import type { StatusCase } from "../expected-status.ts";
import { readHistories } from "../job/reading.ts";
import { findingsInPassing, passingOf } from "../passing.ts";
import { boundsOf } from "./bounds.ts";
import { explainedByClock } from "./clock-set.ts";
import { limitReading, NO_LAG } from "./limited-job.ts";

/** Run limits in seconds by worker, of those that tell one. Spec §2.3. */
export function limitsTold(details: readonly StatusCase[]): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { attempts } of details) {
    const last = attempts.at(-1);
    if (last === undefined) continue;
    const seconds = decodeWorker(jsonBody(last)).value?.timeoutSeconds ?? null;
    if (seconds !== null) limits.set(workerInPath(last.path), seconds);
  }
  return limits;
}

/**
 * A timeout long before the limit, or one that is charged; and a run that its own times put beyond
 * the limit, whatever its end. How late the suite was explains neither.
 */
export function limitsInPassing(
  histories: readonly JobHistory[],
  limits: ReadonlyMap<string, number>,
  times: PromisedTimes,
  where = "beside",
): readonly Finding[] {
  const all = readHistories(histories);
  const read = all.flatMap((reading) => {
    const { workerId, polls } = reading.history;
    const seconds = limits.get(workerId);
    if (seconds === undefined || polls.length === 0) return [];
    const bounds = boundsOf(seconds, times);
    const job = limitReading(reading, bounds, NO_LAG, "unknown");
    const ranBeyond = (job.run?.statedMs ?? 0) > bounds.limitMs + bounds.lateMs;
    const isTold = job.end === "timeout" || (job.end !== null && ranBeyond);
    return isTold ? [{ reading, job }] : [];
  });
  const jobs = explainedByClock(
    read.map(({ job }) => job),
    read.map(({ reading }) => reading),
    times.limitTolerance,
    all,
  );
  const claims = [
    { promise: "timeout.fires", samples: jobs.map(({ fires }) => fires) },
    { promise: "timeout.not-early", samples: jobs.flatMap(({ notEarly }) => notEarly ?? []) },
    { promise: "timeout.free", samples: jobs.flatMap(({ free }) => free ?? []) },
  ] as const;
  const findings = claims.map((each) => decide({ ...PASSING, ...each }));
  return findingsInPassing(passingOf(findings), where);
}

/** What is open or explained is as good as a sample that shows no fault. */
const PASSING = {
  unit: "faults",
  tolerated: NO_FAULTS,
  of: "jobs",
  kept: "",
  without: "",
  quorum: { explainedShare: 1, enough: 0 },
} as const;
