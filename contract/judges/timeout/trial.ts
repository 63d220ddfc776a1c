/** What the trial of a worker's limit observed. */

import type { BalanceInput } from "../../balance/spans.ts";
import type { LimitBounds } from "./bounds.ts";
import type { LimitedJob, LimitReading } from "./limited-job.ts";

export interface TimeoutTrial {
  worker: string;
  /** The limit that the worker tells. */
  limitSeconds: number;
  /** Jobs whose input exceeds the limit. */
  beyond: readonly LimitedJob[];
  /** Jobs whose input stays just below the limit. */
  below: readonly LimitedJob[];
  /** What the account showed: one a shard that read it. Several disturb each other. */
  balances: readonly BalanceInput[];
  /** How late the suite itself was at most times. */
  lagMs: number;
  /** Said when there is no job to look at. */
  without: string;
}

/** The same, job by job. */
export interface LimitTrial {
  beyond: readonly LimitReading[];
  below: readonly LimitReading[];
  /** What the account showed; null where nobody read it. */
  balance: BalanceInput | null;
  /** How long a price may be held. */
  heldMs: number;
  bounds: LimitBounds;
  /** Said when there is no job to look at. */
  without: string;
}
