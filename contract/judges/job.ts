/** All judges of jobs that were submitted and followed. Spec §2.5. */

import type { JobHistory } from "../jobs/job-history.ts";
import { firstOfEach } from "../jobs/job-history.ts";
import type { PromiseId } from "../promises.ts";
import type { Finding } from "../verdict.ts";
import { judgeCost } from "./job/cost.ts";
import { judgeDuration } from "./job/duration.ts";
import type { JobLimits } from "./job/never-lost.ts";
import { judgeNeverLost } from "./job/never-lost.ts";
import { judgeOwnResult } from "./job/own-result.ts";
import type { JobReading } from "./job/reading.ts";
import { readHistories } from "./job/reading.ts";
import { judgeRunOnce } from "./job/run-once.ts";
import {
  judgeErrorOnlyOnFailure,
  judgeFiles,
  judgeResultPresent,
  judgeSameId,
  judgeShape,
} from "./job/shape.ts";
import { judgeForwardOnly, judgeKnownStates } from "./job/states.ts";
import { judgeTerminalFinal } from "./job/terminal-final.ts";
import { judgeTimestamps } from "./job/timestamps.ts";

type JobJudge = (readings: readonly JobReading[], limits: JobLimits) => Finding;

const JOB_JUDGES = {
  "job.shape": judgeShape,
  "job.same-id": judgeSameId,
  "job.never-lost": judgeNeverLost,
  "job.known-states": judgeKnownStates,
  "job.forward-only": judgeForwardOnly,
  "job.terminal-final": judgeTerminalFinal,
  "job.result-present": judgeResultPresent,
  "job.own-result": judgeOwnResult,
  "job.run-once": judgeRunOnce,
  "job.error-only-on-failure": judgeErrorOnlyOnFailure,
  "job.timestamps": judgeTimestamps,
  "job.duration": judgeDuration,
  "job.files": judgeFiles,
  "job.cost": judgeCost,
} as const satisfies Partial<Record<PromiseId, JobJudge>>;

export type JobPromise = keyof typeof JOB_JUDGES;

/** The promises that `judgeJobs` judges, in the order of its findings. */
export const JOB_PROMISES = Object.keys(JOB_JUDGES) as readonly JobPromise[];

/** One finding for each of JOB_PROMISES; all histories of a run together, as variants may mix. */
export function judgeJobs(
  histories: readonly JobHistory[],
  limits: JobLimits = { endWithinMs: null },
): readonly Finding[] {
  return judgeReadings(readHistories(firstOfEach(histories, (each) => each)), limits);
}

/** The same of jobs that were decoded as they came, each under an identifier of its own. */
export function judgeReadings(
  readings: readonly JobReading[],
  limits: JobLimits = { endWithinMs: null },
): readonly Finding[] {
  return JOB_PROMISES.map((promise) => JOB_JUDGES[promise](readings, limits));
}
