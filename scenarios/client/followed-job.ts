/** A job of the suite's own, with what was seen of it so far. */

import type { Job } from "../../contract/decode/job-types.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { JobHistory } from "../../contract/job-history.ts";
import type { Part } from "../../contract/run-plan.ts";

export interface FollowedJob extends JobHistory {
  part: Part | null;
  polls: Exchange[];
  cancelRequests: Exchange[];
  /** When the first poll that saw the end was received. */
  endSeenAtMs: number | null;
  /** The job as that poll showed it. */
  end: Job | null;
}
