/** Judges one job whose input exceeds its worker's limit. Spec §1.4, §2.3, §3.2. */

import type { Job } from "../../decode/job-types.ts";
import type { Exchange } from "../../exchange.ts";
import type { EndState, JobHistory } from "../../job-history.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, readHistories, stateLooks } from "../job/reading.ts";
import type { LimitBounds } from "./bounds.ts";
import type { RunTime } from "./run-time.ts";
import { runTimeOf, seenRunningMs } from "./run-time.ts";
import type { StartStamp } from "./start-up.ts";
import { startStampOf } from "./start-up.ts";

/**
 * What one job says of one promise: `doubtful` contradicts it by less than the suite's own lag, or
 * in one of two lawful readings, and withholds `kept`; `open` says nothing either way.
 */
export interface Opinion {
  outcome: "kept" | "broken" | "doubtful" | "open";
  /** In words, measured against promised. */
  what: string;
  /** Of a time that breaks its promise: by so much beyond what is tolerated. */
  beyondMs?: number;
}

/** The suite's own lag, by which a job may seem to be off; ms. */
export interface Lag {
  earlyMs: number;
  lateMs: number;
}

/** For whoever knows the lag only afterwards, and adds it then. */
export const NO_LAG: Lag = { earlyMs: 0, lateMs: 0 };

/** A job with the lag that its end may have met. */
export interface LimitedJob {
  history: JobHistory;
  lag: Lag;
}

/** Opinions are null where the promise does not speak of such a job. */
export interface TimedOutJob {
  history: JobHistory;
  end: EndState | null;
  /** Running time; null for a job that was not seen to end. */
  run: RunTime | null;
  fires: Opinion;
  notEarly: Opinion | null;
  notLate: Opinion | null;
  free: Opinion | null;
  /** The submission, and the first answer that shows the end or else the last one. */
  exchanges: readonly Exchange[];
}

/** Ours: a job seen running this many tolerances beyond its limit is not merely late. */
const RUNAWAY_TOLERANCES = 3;

const KEPT: Opinion = { outcome: "kept", what: "" };

/**
 * Judges a job by its history alone; whoever calls sees to it that the input exceeds the limit.
 * Works with a single poll that shows the end, then on the service's own times. `stamp` says where
 * these begin, by what other jobs of the service have shown.
 */
export function judgeTimedOutJob(
  history: JobHistory,
  bounds: LimitBounds,
  lag: Lag,
  stamp: StartStamp = "running",
): TimedOutJob {
  const [reading] = readHistories([history]);
  if (reading === undefined) throw new Error("no reading of a job's history");
  const run = runTimeOf(reading, stamp);
  const end = endOf(reading);
  const timedOut = end === "timeout" && run !== null;
  return {
    history,
    end,
    run,
    fires: firesOpinion(reading, run, bounds),
    notEarly: timedOut ? earlyOpinion(run, bounds, lag) : null,
    notLate: timedOut ? lateOpinion(run, bounds, lag) : null,
    free: timedOut ? freeOpinion(reading) : null,
    exchanges: exchangesOf(reading),
  };
}

/** Judges jobs of one worker together: what some show of their starts holds for all. */
export function judgeLimitedJobs(
  jobs: readonly LimitedJob[],
  bounds: LimitBounds,
  assumed: StartStamp = "unknown",
): readonly TimedOutJob[] {
  const stamp = startStampOf(readHistories(jobs.map(({ history }) => history)), assumed);
  return jobs.map(({ history, lag }) => judgeTimedOutJob(history, bounds, lag, stamp));
}

function exchangesOf(reading: JobReading): readonly Exchange[] {
  const { submission, polls } = reading.history;
  const shown = firstEnd(reading)?.exchange ?? polls.at(-1);
  return shown === undefined ? [submission] : [submission, shown];
}

function endOf(reading: JobReading): EndState | null {
  return (firstEnd(reading)?.job.state ?? null) as EndState | null;
}

/** Another end is lawful before the limit, as a worker may crash at any time. */
function firesOpinion(reading: JobReading, run: RunTime | null, bounds: LimitBounds): Opinion {
  const end = endOf(reading);
  if (end === "timeout") return KEPT;
  if (end === null || run === null) return unendedOpinion(reading, bounds);
  const { limitMs, earlyMs } = bounds;
  const ranMs = run.statedMs ?? run.lowMs;
  const told = `a job ended as ${end} after running ${seconds(ranMs)}`;
  const promised = `${told}; promised timeout at ${seconds(limitMs)}`;
  if (run.lowMs >= limitMs - earlyMs) return { outcome: "broken", what: promised };
  if (run.highMs < limitMs - earlyMs) {
    return { outcome: "open", what: `${told}, before its limit of ${seconds(limitMs)}` };
  }
  return { outcome: "doubtful", what: `${promised}, and whether it had run as long is open` };
}

function unendedOpinion(reading: JobReading, bounds: LimitBounds): Opinion {
  const ranMs = seenRunningMs(reading);
  const limit = seconds(bounds.limitMs);
  if (ranMs > bounds.limitMs + RUNAWAY_TOLERANCES * bounds.lateMs) {
    const what = `a job was still running after ${seconds(ranMs)}; promised timeout at ${limit}`;
    return { outcome: "broken", what };
  }
  const state = stateLooks(reading).at(-1)?.job.statusText ?? "not seen";
  return { outcome: "open", what: `a job was ${state} when the wait for its end was over` };
}

function earlyOpinion(run: RunTime, bounds: LimitBounds, lag: Lag): Opinion {
  const boundMs = bounds.limitMs - bounds.earlyMs;
  if (run.highMs < boundMs - lag.earlyMs) {
    const what = told(run, bounds, "at most", run.highMs);
    return { outcome: "broken", what, beyondMs: boundMs - run.highMs };
  }
  if (run.highMs < boundMs) return doubt(run, bounds, lag.earlyMs);
  const isSaidEarly = run.statedMs !== null && run.statedMs + run.roundingMs < boundMs;
  if (isSaidEarly && !run.isOpenEnded) return either(run, bounds);
  const isOpen = isSaidEarly || run.statedMs === null;
  // Polls tell no finer than the tolerance: once more of it is theirs.
  const isSeenWhole = run.seen.lowMs >= boundMs - bounds.earlyMs;
  if (isOpen && !isSeenWhole) return { outcome: "open", what: TOO_FAR };
  return KEPT;
}

function lateOpinion(run: RunTime, bounds: LimitBounds, lag: Lag): Opinion {
  const boundMs = bounds.limitMs + bounds.lateMs;
  if (run.lowMs > boundMs + lag.lateMs) {
    const what = told(run, bounds, "at least", run.lowMs);
    return { outcome: "broken", what, beyondMs: run.lowMs - boundMs };
  }
  if (run.lowMs > boundMs) return doubt(run, bounds, lag.lateMs);
  if (run.statedMs !== null && run.statedMs - run.roundingMs > boundMs) return either(run, bounds);
  if (run.statedMs === null && run.seen.highMs > boundMs) return { outcome: "open", what: TOO_FAR };
  return KEPT;
}

const TOO_FAR = "the job tells no start and end, and the polls lay too far apart to say";

function told(run: RunTime, bounds: LimitBounds, bound: string, outsideMs: number): string {
  const ran = run.statedMs === null ? `${bound} ${seconds(outsideMs)}` : seconds(run.statedMs);
  return `a job timed out after running ${ran}; promised ${seconds(bounds.limitMs)}`;
}

function doubt(run: RunTime, bounds: LimitBounds, lagMs: number): Opinion {
  const what = `${told(run, bounds, "about", run.lowMs)}, and the suite itself lagged`;
  return { outcome: "doubtful", what: `${what} ${Math.round(lagMs)} ms` };
}

/** The job contradicts the promise or not, by what is open. Spec §2.3, §3.1. */
function either(run: RunTime, bounds: LimitBounds): Opinion {
  const what = `${told(run, bounds, "about", run.lowMs)}, and whether starting up counts is open`;
  return { outcome: "doubtful", what };
}

/** A charge that is told at any time from the end on; none told is none made. Spec §2.5, §2.8. */
function freeOpinion(reading: JobReading): Opinion {
  const charges = stateLooks(reading)
    .filter(({ job }) => job.state === "timeout")
    .flatMap(({ job }) => chargeOf(job) ?? []);
  const charge = charges[0];
  if (charge === undefined) return KEPT;
  return { outcome: "broken", what: `a timed-out job is charged ${charge}; promised 0` };
}

function chargeOf({ cost }: Job): string | null {
  if (cost.credits !== null && cost.credits > 0) return `${cost.credits} credits`;
  return cost.totalUsd !== null && cost.totalUsd > 0 ? `${cost.totalUsd} USD` : null;
}

/** Ours: three digits behind the point, as limits of test services may be fractions of a second. */
export function seconds(ms: number): string {
  return `${Math.round(ms) / 1_000} s`;
}
