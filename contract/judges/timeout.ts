/** Judges of the limit on a job's run: it fires, neither early nor late, and is free. Spec §2.3. */

import type { PromiseId } from "../promises.ts";
import type { Finding, Json } from "../verdict.ts";
import { broken, inconclusive } from "../verdict.ts";
import { count, judgeSampled } from "./job/sample.ts";
import type { BalanceInput } from "./timeout/balance.ts";
import { judgeBalance } from "./timeout/balance.ts";
import type { LimitBounds } from "./timeout/bounds.ts";
import type { StartStamp } from "./timeout/start-up.ts";
import type { LimitedJob, Opinion, TimedOutJob } from "./timeout/timed-out-job.ts";
import { judgeLimitedJobs, seconds } from "./timeout/timed-out-job.ts";

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
  /** What the account showed; null where nobody looked. */
  balance: BalanceInput | null;
  /** Said when there is no job to look at. */
  without: string;
  /** Where stated runs begin if no look at a starting job shows it; unknown unless told. */
  assumedStamp?: StartStamp;
}

/** Ours: so many good samples speak for a promise, however many others say nothing. */
const SAMPLES_ENOUGH = 3;

/** One finding for each of TIMEOUT_PROMISES. */
export function judgeTimeouts(input: TimeoutInput): readonly Finding[] {
  const { bounds, assumedStamp } = input;
  const beyond = judgeLimitedJobs(distinct(input.beyond), bounds, assumedStamp);
  const below = judgeLimitedJobs(distinct(input.below), bounds, assumedStamp);
  const told = toldOf(input, beyond, below);
  const cut = below.filter(({ notEarly }) => notEarly?.outcome === "broken");
  const early = [...beyond, ...cut].flatMap((job) => said(job, job.notEarly));
  const late = beyond.flatMap((job) => said(job, job.notLate));
  const free = [...beyond, ...below].flatMap((job) => said(job, job.free));
  const fires = beyond.flatMap((job) => said(job, job.fires));
  return [
    findingOf("timeout.fires", fires, told, `ended as timeout at ${told.limit}`),
    findingOf("timeout.not-early", early, told, `ran for ${told.limit}`),
    findingOf("timeout.not-late", late, told, `ended by ${told.latest}`),
    withBalance(findingOf("timeout.free", free, told, "cost nothing"), input.balance),
  ];
}

interface Said {
  opinion: Opinion;
  exchanges: TimedOutJob["exchanges"];
}

function said({ exchanges }: TimedOutJob, opinion: Opinion | null): readonly Said[] {
  return opinion === null ? [] : [{ opinion, exchanges }];
}

/**
 * Jobs that were issued an identifier, each identifier's first submission only: a later one that
 * was given the same is submit.unique-id's fault, and its job began to run before it.
 */
function distinct(jobs: readonly LimitedJob[]): readonly LimitedJob[] {
  const seen = new Set<string | null>([null]);
  return [...jobs]
    .sort((a, b) => a.history.submission.sentAtMs - b.history.submission.sentAtMs)
    .filter(({ history }) => {
      const isFirst = !seen.has(history.issuedId);
      seen.add(history.issuedId);
      return isFirst;
    });
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

function findingOf(promise: PromiseId, all: readonly Said[], told: Told, good: string): Finding {
  const of = (outcome: Opinion["outcome"]) =>
    all.filter(({ opinion }) => opinion.outcome === outcome);
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
    of: "jobs",
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
  const summary = `${finding.summary}; ${opinion.what}`;
  return { ...finding, summary, evidence: grounds.evidence };
}
