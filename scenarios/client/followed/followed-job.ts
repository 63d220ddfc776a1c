/** A job of the suite's own, with what was seen of it so far. */

import type { Job } from "../../../contract/decode/job-types.ts";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { Part } from "../../../contract/run/run-plan.ts";

/**
 * Ours: for so long a service may not know an accepted job everywhere. Views of a job that is known
 * everywhere lag by less.
 */
export const UNKNOWN_MS_MAX = 10_000;

export interface FollowedJob extends JobHistory {
  part: Part | null;
  polls: Exchange[];
  cancelRequests: Exchange[];
  /** When the first poll that saw the end was received. */
  endSeenAtMs: number | null;
  /** The job as that poll showed it. */
  end: Job | null;
}
