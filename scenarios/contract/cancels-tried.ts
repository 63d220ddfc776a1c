/** What was found out of cancelling so far, for the parts that try it. */

import type { CancelTrial } from "../../contract/judges/cancel/cancel-trial.ts";
import { cancelEffectMs, isUnderstood } from "../../contract/judges/cancel/index.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { Observation } from "../../contract/run/observation.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { MethodSearch } from "./cancel-method.ts";

export interface CancelsTried {
  method: MethodSearch;
  running: CancelTrial[];
  /** The job that was cancelled shortly before its end. */
  late: FollowedJob | null;
  /** Lists that were asked for while jobs waited and ran. */
  listed: Observation[];
  /** A short job beside the slow ones: the last that was submitted, and soon completed. */
  fresh: FollowedJob | null;
  isOutOfTime: boolean;
  /** Cancels of a job that waited, with a key that nobody has. */
  strangers: StatusCase[];
}

/** Trials on queued jobs of the request that is known. */
export function queuedTrials({ method }: CancelsTried): readonly CancelTrial[] {
  return method.found() === null ? [] : method.trials();
}

/** What queued jobs tell of the request by now, for the judges of others. */
export function knownOf(tried: CancelsTried) {
  const queued = queuedTrials(tried);
  return { methodWorks: isUnderstood(queued), effectMs: cancelEffectMs(queued) };
}
