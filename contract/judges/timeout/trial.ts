/** What the trial of a worker's limit observed, and what all claims on it have in common. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { NO_FAULTS } from "../../judging/claim.ts";
import type { Range } from "../../judging/range.ts";
import type { PromiseId } from "../../promises.ts";
import type { Json } from "../../verdict.ts";
import { count } from "../job/sample.ts";
import type { BalanceInput } from "./balance.ts";
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
  balance: BalanceInput | null;
  bounds: LimitBounds;
  /** In words. */
  limit: string;
  latest: string;
  without: string;
  evidence: Readonly<Record<string, Json>>;
}

/** Ours: so many good samples speak for a promise, however many others say nothing. */
const SAMPLES_ENOUGH = 3;

interface OfLimit extends Pick<Claim, "evidence"> {
  promise: PromiseId;
  samples: readonly Sample[];
  /** Left out: faults, none of which is tolerated. */
  unit?: "ms";
  tolerated?: Range;
  /** What good jobs did: "ran for 10 s". */
  did: string;
  without?: string;
}

export function limitClaim(trial: LimitTrial, { did, ...own }: OfLimit): Claim {
  const noTimeouts = trial.beyond.length === 0 ? trial.without : "no job ended as a timeout";
  return {
    unit: "faults",
    tolerated: NO_FAULTS,
    without: noTimeouts,
    ...own,
    of: "jobs",
    kept: (good) => `${count(good, "job")} ${did}`,
    quorum: { enough: SAMPLES_ENOUGH },
    evidence: { ...trial.evidence, ...own.evidence },
  };
}
