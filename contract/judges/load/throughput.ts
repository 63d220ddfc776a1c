/** load.throughput: completed jobs per second against the share of the offered ones. Spec §1. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { percent, rounded } from "../../numbers/figures.ts";
import type { HostLag, OwnState } from "./generator.ts";
import { lagAllowanceMs, withdrawnBy } from "./generator.ts";

/** Jobs of two windows of equal length: submissions, and ends later by the warm-up. */
export interface SteadyPart {
  /** Jobs offered in the window that begins with the soak. */
  offered: number;
  /** Jobs that ended as they should in the window that ends with it. */
  completed: number;
  seconds: number;
  /** By how many they differ by chance: some more jobs were in flight at the end. */
  byChance: number;
}

export interface WholeSoak {
  offered: number;
  /** Ended, and not as they should. */
  endedOtherwise: number;
}

/** Ours: fewer jobs than that are decided by which second a few of them fall into. */
export const OFFERED_MIN = 50;

/**
 * Ours: by so many standard deviations more must end otherwise than the objective lets, where the
 * rate can't be told: the other way about, one run in forty of a service that just meets it.
 */
const SIGMAS_OTHERWISE = 2;

/** What a soak gives to judge by. */
export interface Steady {
  /** null: the soak was too short for one. */
  part: SteadyPart | null;
  /** Why no service could have shown enough in that time; null: one that is fast enough could. */
  hopeless: string | null;
  /** Of all jobs of the soak, whenever they ended. */
  ofAll: WholeSoak;
}

export function throughputClaim(
  { part: steady, hopeless, ofAll }: Steady,
  share: number | null,
  own: OwnState,
): Claim {
  const isEnough = steady !== null && steady.offered >= OFFERED_MIN;
  const isHopeless = !isEnough && hopeless !== null;
  const samples = isHopeless
    ? tooManyOtherwise(ofAll, share ?? 0)
    : [sampleOf(steady, share ?? 0, { ofAll, lag: own.lag })];
  return {
    promise: "load.throughput",
    unit: "share",
    tolerated: { low: share ?? 0, high: Number.POSITIVE_INFINITY },
    samples: share === null ? [] : samples,
    looks: (isHopeless ? ofAll.offered : steady?.offered) ?? 0,
    of: "jobs",
    kept: steady === null ? "" : told(steady, share ?? 0),
    without: share === null ? "no objective for the throughput is set" : (hopeless ?? ""),
    ...withdrawnBy(own),
    evidence: steady === null ? {} : figuresOf(steady, share),
  };
}

/** However long a soak, jobs that ended, and not as they should, complete no more. */
function tooManyOtherwise({ offered, endedOtherwise }: WholeSoak, share: number): Sample[] {
  const lawful = (1 - share) * offered;
  const mostByChance = lawful + SIGMAS_OTHERWISE * Math.sqrt(lawful * share);
  if (offered < OFFERED_MIN || endedOtherwise <= mostByChance) return [];
  const reached = 1 - endedOtherwise / offered;
  const otherwise = `${endedOtherwise} of ${offered} jobs ended otherwise than they should`;
  const what = `${otherwise}; objective ${percent(share, 1)}`;
  return [{ low: reached, high: reached, what }];
}

/**
 * Ends may be late by as much as this machine was. No delay and no chance of the window explains
 * ends that should not be, where they alone are too many of all jobs.
 */
function sampleOf(
  steady: SteadyPart | null,
  share: number,
  { ofAll, lag: { lastThirdMs } }: Pick<Steady, "ofAll"> & { lag: HostLag },
): Sample {
  const none = { low: 0, high: Number.POSITIVE_INFINITY };
  if (steady === null) {
    return { ...none, what: "the soak was shorter than twice the time that its jobs take" };
  }
  const { offered, completed, seconds, byChance } = steady;
  if (offered < OFFERED_MIN) {
    const what = `${offered} jobs in the steady phase are too few; expected ${OFFERED_MIN}`;
    return { ...none, what };
  }
  const reached = completed / offered;
  const mostShare = 1 - ofAll.endedOtherwise / ofAll.offered;
  const what = told(steady, share);
  if (mostShare < share) {
    const otherwise = `${ofAll.endedOtherwise} of ${ofAll.offered} ended otherwise`;
    return { low: reached, high: reached, what: `${what}; ${otherwise}` };
  }
  const why = `this machine's own lag of ${Math.round(lastThirdMs)} ms explains it`;
  const late = lagAllowanceMs(lastThirdMs) / 1_000 / seconds;
  const below = [
    { cause: "host lag", atMost: late, why },
    { cause: "too little seen", atMost: byChance / offered, why: UNEVEN },
  ] as const;
  return { low: reached, high: reached, what, below };
}

const UNEVEN = "jobs live so differently that by chance more of them may be left at the end";

function told({ offered, completed, seconds }: SteadyPart, share: number): string {
  const perSecond = (jobs: number) => rounded(jobs / seconds, 3);
  return (
    `${perSecond(completed)} of ${perSecond(offered)} offered jobs/s completed, ` +
    `${percent(completed / offered, 1)}; objective ${percent(share, 1)}`
  );
}

function figuresOf({ offered, completed, seconds }: SteadyPart, share: number | null) {
  return {
    completedPerSecond: rounded(completed / seconds, 3),
    offeredPerSecond: rounded(offered / seconds, 3),
    share: rounded(offered === 0 ? 0 : completed / offered, 3),
    objectiveShare: share,
    seconds,
  };
}
