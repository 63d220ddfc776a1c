/** Judges of the limit on a job's run: it fires, neither early nor late, and is free. Spec §2.3. */

import { firstOfEach } from "../../job-history.ts";
import { decide } from "../../judging/decide.ts";
import type { PromiseId } from "../../promises.ts";
import type { Finding } from "../../verdict.ts";
import { firstEnd, readHistories } from "../job/reading.ts";
import type { BalanceInput } from "./balance.ts";
import type { LimitBounds } from "./bounds.ts";
import { firesClaim } from "./fires.ts";
import { freeClaim } from "./free.ts";
import type { LimitedJob } from "./limited-job.ts";
import { readLimitedJobs, seconds } from "./limited-job.ts";
import { notEarlyClaim } from "./not-early.ts";
import { notLateClaim } from "./not-late.ts";
import { shownEarlyOf, typicalShownEarly } from "./shown-early.ts";
import type { StartStamp } from "./start-up.ts";
import type { LimitTrial } from "./trial.ts";

/** The promises that `judgeTimeouts` judges, in the order of its findings. */
export const TIMEOUT_PROMISES = [
  "timeout.fires",
  "timeout.not-early",
  "timeout.not-late",
  "timeout.free",
] as const satisfies readonly PromiseId[];

export interface TimeoutInput {
  bounds: LimitBounds;
  /** Jobs whose input exceeds the limit. */
  beyond: readonly LimitedJob[];
  /** Jobs whose input stays just below the limit. */
  below: readonly LimitedJob[];
  /** What the account showed; null where nobody read it. */
  balance: BalanceInput | null;
  /** Said when there is no job to look at. */
  without: string;
  /** Where stated runs begin if no poll of a starting job shows it; unknown unless told. */
  assumedStamp?: StartStamp;
}

/** One finding for each of TIMEOUT_PROMISES. */
export function judgeTimeouts(trial: LimitTrial): readonly Finding[] {
  return [firesClaim, notEarlyClaim, notLateClaim, freeClaim].map((claimOf) => {
    return decide(claimOf(trial));
  });
}

/** Nothing is known of a job that was issued no identifier. */
function distinct(jobs: readonly LimitedJob[]): readonly LimitedJob[] {
  const issued = jobs.filter(({ history }) => history.issuedId !== null);
  return firstOfEach(issued, ({ history }) => history);
}

/** How long jobs of the worker are shown running before they do, by those that no limit stopped. */
function shownEarlyByCompleted(jobs: readonly LimitedJob[]): number {
  const readings = readHistories(jobs.map(({ history }) => history));
  const completed = readings.filter((each) => firstEnd(each)?.job.state === "completed");
  return typicalShownEarly(completed.flatMap((each) => shownEarlyOf(each) ?? []));
}

export function limitTrial({
  bounds,
  assumedStamp = "unknown",
  balance,
  without,
  ...jobs
}: TimeoutInput): LimitTrial {
  const { limitSeconds, limitMs, earlyMs, lateMs } = bounds;
  const shownEarlyMs = shownEarlyByCompleted([...jobs.beyond, ...jobs.below]);
  const beyond = readLimitedJobs(distinct(jobs.beyond), bounds, assumedStamp, shownEarlyMs);
  const below = readLimitedJobs(distinct(jobs.below), bounds, assumedStamp, shownEarlyMs);
  return {
    beyond,
    below,
    balance,
    bounds,
    limit: seconds(limitMs),
    latest: seconds(limitMs + lateMs),
    without,
    evidence: {
      limitSeconds,
      limitMs,
      earliestMs: limitMs - earlyMs,
      latestMs: limitMs + lateMs,
      jobs: beyond.length,
      belowLimit: below.length,
      belowLimitCompleted: below.filter(({ end }) => end === "completed").length,
    },
  };
}
