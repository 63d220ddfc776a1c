/** What jobs show that were followed to their ends, whatever they were submitted for. */

import type { JobHistory } from "../jobs/job-history.ts";
import type { Finding } from "../verdict.ts";
import { judgeAnsweredAtStart } from "./asynchronous/at-start.ts";
import { judgeAnsweredAtEnd } from "./asynchronous/index.ts";
import { judgeAnsweredWithRun } from "./asynchronous/with-run.ts";
import { judgeAnsweredByWorker, judgeAnsweredWithSome } from "./asynchronous/with-some.ts";
import { judgeCancelledAlong } from "./cancel/cancelled-along.ts";
import { judgeCancelledAlone } from "./cancel/cancels-seen.ts";
import type { JobLimits } from "./job/never-lost.ts";
import { readHistories } from "./job/reading.ts";
import { judgeJobs } from "./job.ts";
import { judgeAccepted } from "./submit.ts";

export function judgeFollowedJobs(
  histories: readonly JobHistory[],
  limits?: JobLimits,
): readonly Finding[] {
  const readings = readHistories(histories);
  return [
    ...judgeAccepted(histories),
    ...judgeAnsweredAtStart(readings),
    ...judgeAnsweredAtEnd(readings),
    ...judgeAnsweredWithRun(readings),
    ...judgeAnsweredWithSome(readings),
    ...judgeAnsweredByWorker(readings),
    ...judgeCancelledAlone(readings),
    ...judgeCancelledAlong(readings),
    ...judgeJobs(histories, limits),
  ];
}
