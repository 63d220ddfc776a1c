/** Judges of the limit on a job's run: it fires, neither early nor late, and is free. Spec §2.3. */

import type { Exchange } from "../exchange.ts";
import type { JobHistory } from "../job-history.ts";
import type { PromiseId } from "../promises.ts";
import type { Finding, Json } from "../verdict.ts";
import { broken, inconclusive, kept } from "../verdict.ts";
import { count, judgeSampled } from "./job/sample.ts";
import type { BalanceInput } from "./timeout/balance.ts";
import { judgeBalance } from "./timeout/balance.ts";
import type { LimitBounds } from "./timeout/bounds.ts";
import type { Lag, Opinion, TimedOutJob } from "./timeout/timed-out-job.ts";
import { judgeTimedOutJob, NO_LAG, seconds } from "./timeout/timed-out-job.ts";

/** The promises that `judgeTimeouts` judges, in the order of its findings. */
export const TIMEOUT_PROMISES = [
  "timeout.fires",
  "timeout.not-early",
  "timeout.not-late",
  "timeout.free",
] as const satisfies readonly PromiseId[];

export interface LimitedJob {
  history: JobHistory;
  lag: Lag;
  /** True for a job of a round that was repeated since: its times can only contradict. */
  repeated: boolean;
}

export interface TimeoutInput {
  bounds: LimitBounds;
  /** Jobs whose input exceeds the limit. */
  beyond: readonly LimitedJob[];
  /** Jobs whose input stays just below the limit. */
  below: readonly JobHistory[];
  /** What the account showed; null where nobody looked. */
  balance: BalanceInput | null;
  /** Said when there is no job to look at. */
  without: string;
}

/** Ours: so many good samples speak for a promise, however many others say nothing. */
const SAMPLES_ENOUGH = 3;

/** One finding for each of TIMEOUT_PROMISES. */
export function judgeTimeouts(input: TimeoutInput): readonly Finding[] {
  const { bounds } = input;
  const timed = distinct(input.beyond, ({ history }) => history).map((job) => judge(job, bounds));
  const below = distinct(input.below, (history) => history).map((history) =>
    judgeTimedOutJob(history, bounds, NO_LAG),
  );
  const told = toldOf(input, timed, below);
  const free = [...timed, ...below.filter(({ end }) => end === "timeout")];
  return [
    findingOf("timeout.fires", pick(timed, "fires"), told, `ended as timeout at ${told.limit}`),
    findingOf("timeout.not-early", earlyOpinions(timed, below), told, `ran for ${told.limit}`),
    findingOf("timeout.not-late", pick(timed, "notLate"), told, `ended by ${told.latest}`),
    withBalance(findingOf("timeout.free", pick(free, "free"), told, "cost nothing"), input.balance),
  ];
}

/** Whether times are off by no more than the suite's own lag: reason enough to try again. */
export function isInDoubt(jobs: readonly LimitedJob[], bounds: LimitBounds): boolean {
  const outcomes = jobs.flatMap((job) => {
    const { notEarly, notLate } = judge(job, bounds);
    return [notEarly?.outcome, notLate?.outcome];
  });
  return outcomes.includes("doubtful") && !outcomes.includes("broken");
}

/**
 * Jobs that were issued an identifier, each identifier's first submission only: a later one that
 * was given the same is submit.unique-id's fault, and its job began to run before it.
 */
function distinct<Each>(
  jobs: readonly Each[],
  historyOf: (each: Each) => JobHistory,
): readonly Each[] {
  const sentAt = (each: Each) => historyOf(each).submission.sentAtMs;
  const seen = new Set<string | null>([null]);
  return [...jobs]
    .sort((a, b) => sentAt(a) - sentAt(b))
    .filter((each) => {
      const { issuedId } = historyOf(each);
      const isFirst = !seen.has(issuedId);
      seen.add(issuedId);
      return isFirst;
    });
}

/** Times of a round that was repeated count only where no lag explains them. */
function judge({ history, lag, repeated }: LimitedJob, bounds: LimitBounds): TimedOutJob {
  const job = judgeTimedOutJob(history, bounds, lag);
  if (!repeated) return job;
  const broken = (opinion: Opinion | null) => (opinion?.outcome === "broken" ? opinion : null);
  return { ...job, notEarly: broken(job.notEarly), notLate: broken(job.notLate) };
}

interface Said {
  exchanges: readonly Exchange[];
  opinion: Opinion;
}

function pick(
  jobs: readonly TimedOutJob[],
  aspect: "fires" | "notEarly" | "notLate" | "free",
): readonly Said[] {
  return jobs.flatMap((job) => {
    const opinion = job[aspect];
    return opinion === null ? [] : [{ opinion, exchanges: job.exchanges }];
  });
}

/** A job that asked for less than its limit and was cut off early says so, too. */
function earlyOpinions(
  beyond: readonly TimedOutJob[],
  below: readonly TimedOutJob[],
): readonly Said[] {
  const cut = pick(below, "notEarly").filter(({ opinion }) => opinion.outcome === "broken");
  return [...pick(beyond, "notEarly"), ...cut];
}

interface Told {
  limit: string;
  latest: string;
  withoutJobs: string;
  withoutTimeouts: string;
  evidence: Readonly<Record<string, Json>>;
}

function toldOf(
  { bounds, without }: TimeoutInput,
  beyond: readonly TimedOutJob[],
  below: readonly TimedOutJob[],
): Told {
  const { limitSeconds, limitMs, earlyMs, lateMs } = bounds;
  return {
    limit: seconds(limitMs),
    latest: seconds(limitMs + lateMs),
    withoutJobs: without,
    withoutTimeouts: beyond.length === 0 ? without : "no job ended as a timeout",
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

function findingOf(promise: PromiseId, said: readonly Said[], told: Told, good: string): Finding {
  const of = (outcome: Opinion["outcome"]) =>
    said.filter(({ opinion }) => opinion.outcome === outcome);
  const [faults, doubtful, open, samples] = [of("broken"), of("doubtful"), of("open"), of("kept")];
  const evidence = { ...told.evidence, kept: samples.length, open: open.length };
  const doubt = doubtful[0] ?? (tooFew(samples.length, open.length) ? open[0] : undefined);
  if (faults.length === 0 && doubt !== undefined) {
    const exchanges = doubt.exchanges;
    return inconclusive(promise, doubt.opinion.what, { evidence, exchanges });
  }
  return judgeSampled(promise, {
    faults: faults.map(({ opinion, exchanges }) => ({ what: opinion.what, exchanges })),
    samples: samples.length + faults.length,
    keptSummary: `${count(samples.length, "job")} ${good}`,
    unobservedReason: promise === "timeout.fires" ? told.withoutJobs : told.withoutTimeouts,
    evidence,
  });
}

function tooFew(good: number, open: number): boolean {
  return good < SAMPLES_ENOUGH && good < open;
}

/** The jobs' own words first; the balance can contradict or doubt them, and confirm. */
function withBalance(finding: Finding, input: BalanceInput | null): Finding {
  const { promise, evidence } = finding;
  if (finding.verdict !== "kept") return finding;
  const opinion = input === null ? null : judgeBalance(input);
  if (opinion === null) return { ...finding, evidence: { ...evidence, balance: "not readable" } };
  const exchanges = input?.waves.flatMap((wave) => wave.exchanges) ?? [];
  const grounds = { evidence: { ...evidence, balance: opinion.what }, exchanges };
  if (opinion.outcome === "broken") return broken(promise, opinion.what, grounds);
  if (opinion.outcome !== "kept") return inconclusive(promise, opinion.what, grounds);
  return kept(promise, `${finding.summary}; ${opinion.what}`, { evidence: grounds.evidence });
}
