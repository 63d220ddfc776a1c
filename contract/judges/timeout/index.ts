/** Judges of the limit on a job's run: it fires, neither early nor late, and is free. Spec §2.3. */

import { firstOfEach } from "../../jobs/job-history.ts";
import type { Claim } from "../../judging/claim.ts";
import { NO_FAULTS } from "../../judging/claim.ts";
import { decide } from "../../judging/decide.ts";
import { standing } from "../../judging/standing.ts";
import { leastOf } from "../../numbers/extremes.ts";
import { countText, secondsText } from "../../numbers/figures.ts";
import type { Finding } from "../../verdict.ts";
import { firstEnd, readHistories } from "../job/reading.ts";
import { judgeBalance } from "./balance.ts";
import type { LimitedJob } from "./limited-job.ts";
import { readLimitedJobs } from "./limited-job.ts";
import type { StartStamp } from "./start-up.ts";
import { shownEarlyOf, typicalShownEarly } from "./start-up.ts";
import type { LimitTrial } from "./trial.ts";

interface TimeoutInput extends Omit<LimitTrial, "beyond" | "below" | "heldMs"> {
  /** Left out where no balance is read. */
  heldMs?: number;
  /** Jobs whose input exceeds the limit. */
  beyond: readonly LimitedJob[];
  /** Jobs whose input stays just below the limit. */
  below: readonly LimitedJob[];
  /** Where stated runs begin if no poll of a starting job shows it; unknown unless told. */
  assumedStamp?: StartStamp;
}

/** A finding for each promise of a single job that times out. */
export function judgeTimeouts(trial: LimitTrial): readonly Finding[] {
  return limitClaims(trial).map(decide);
}

/** Ours: so many good samples speak for a promise, however many others say nothing. */
const SAMPLES_ENOUGH = 3;

function limitClaims(trial: LimitTrial): readonly Claim[] {
  const { beyond, below, bounds, without } = trial;
  const { limitSeconds, limitMs, earlyMs, lateMs } = bounds;
  const common = {
    unit: "faults",
    tolerated: NO_FAULTS,
    of: "jobs",
    without: beyond.length === 0 ? without : "no job ended as a timeout",
    quorum: { enough: SAMPLES_ENOUGH },
    evidence: {
      // In real time they say the same.
      ...(limitMs === limitSeconds * 1_000 ? {} : { limitSeconds }),
      limitMs,
      earliestMs: limitMs - earlyMs,
      latestMs: limitMs + lateMs,
      jobs: beyond.length,
      belowLimit: below.length,
      belowLimitCompleted: below.filter(({ end }) => end === "completed").length,
    },
  } as const;
  const did = (what: string) => (good: number) => `${countText(good, "job")} ${what}`;
  const free = freeIn(trial);
  const cut = below.flatMap(({ notEarly }) => notEarly ?? []);
  return [
    {
      ...common,
      promise: "timeout.fires",
      samples: beyond.map(({ fires }) => fires),
      kept: did(`ended as timeout at ${secondsText(limitMs)}`),
      without,
    },
    {
      ...common,
      promise: "timeout.not-early",
      unit: "ms",
      tolerated: { low: limitMs - earlyMs, high: Number.POSITIVE_INFINITY },
      samples: [
        ...beyond.flatMap(({ notEarly }) => notEarly ?? []),
        // Jobs that stay below their limit say something only where they were cut off nevertheless.
        ...cut.filter((sample) => standing(sample).says === "off"),
      ],
      kept: did(ranText(beyond, limitMs, earlyMs)),
    },
    {
      ...common,
      promise: "timeout.not-late",
      unit: "ms",
      tolerated: { low: 0, high: limitMs + lateMs },
      samples: beyond.flatMap(({ notLate }) => notLate ?? []),
      kept: did(`ended by ${secondsText(limitMs + lateMs)}`),
    },
    {
      ...common,
      promise: "timeout.free",
      samples: free.samples,
      of: free.hasBalance ? "jobs and balances" : common.of,
      without: free.isUnseen ? UNPRICED : common.without,
      kept: did(free.said === "" ? "state that they cost nothing" : `cost nothing${free.said}`),
      notTried: free.said === "" ? ["whether a balance shows the same"] : [],
      evidence: { ...common.evidence, balance: free.balance },
    },
  ];
}

/** A cost that is not told is no charge only where a balance shows none. */
const UNPRICED = "no timed-out job tells a cost, and no balance can be read";

/** Times in whole seconds may tell less than what is promised, and no breach of it. */
function ranText(beyond: LimitTrial["beyond"], limitMs: number, earlyMs: number): string {
  const leastMs = leastOf(beyond.flatMap(({ notEarly }) => notEarly?.high ?? []));
  const limit = secondsText(limitMs);
  if (leastMs >= limitMs - earlyMs) return `ran for ${limit}`;
  return `ran for ${secondsText(leastMs)} or more by times that are rounded; promised ${limit}`;
}

/** By the jobs' own words and, where those tell of any, the balance. Spec §1.4. */
function freeIn({ beyond, below, balance: input, heldMs }: LimitTrial) {
  const all = [...beyond, ...below];
  const told = all.flatMap(({ free }) => free ?? []);
  const balance = input === null ? null : judgeBalance(input, heldMs);
  const isUnseen = told.length > 0 && balance === null && !all.some(({ isPriced }) => isPriced);
  const jobs = isUnseen ? [] : told;
  const read = input?.waves.flatMap((wave) => wave.exchanges) ?? [];
  // Amounts are named by the endpoint that told them; the other one's answers say nothing of this.
  const telling = read.filter(({ route }) => balance?.what.startsWith(`${route}.`));
  const exchanges = telling.length > 0 ? telling : read;
  const isSaid = balance !== null && jobs.length > 0;
  const hasBalance = isSaid && balance.high > 0;
  return {
    samples: hasBalance ? [...jobs, { ...balance, exchanges }] : jobs,
    hasBalance,
    isUnseen,
    said: isSaid ? `; ${balance.what}` : "",
    balance: balance?.what ?? "not readable",
  };
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
  heldMs = 0,
  without,
  ...jobs
}: TimeoutInput): LimitTrial {
  const shownEarlyMs = shownEarlyByCompleted([...jobs.beyond, ...jobs.below]);
  const read = (some: readonly LimitedJob[]) =>
    readLimitedJobs(distinct(some), bounds, assumedStamp, shownEarlyMs);
  return { beyond: read(jobs.beyond), below: read(jobs.below), balance, heldMs, bounds, without };
}
