/** Reads a job against its worker's limit: one sample for each promise. Spec §1.4, §2.3, §3.2. */

import type { Job } from "../../decode/job-types.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import type { Sample } from "../../judging/claim.ts";
import { anything, anythingIf, upTo } from "../../judging/claim.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { medianOf, secondsText } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { EndState } from "../../states.ts";
import { isTerminal } from "../../states.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, readHistories, seenRunningMs, statePolls } from "../job/reading.ts";
import type { LimitBounds } from "./bounds.ts";
import { explainedByClock } from "./clock-set.ts";
import type { RunTime } from "./run-time.ts";
import { runTimeOf } from "./run-time.ts";
import type { StartStamp } from "./start-up.ts";
import { startStampOf } from "./start-up.ts";

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

/** Samples are null where the promise does not speak of such a job. */
export interface LimitReading {
  history: JobHistory;
  end: EndState | null;
  /** Running time; null for a job that was not seen to end. */
  run: RunTime | null;
  /** It timed out, and tells only a duration short of its limit, such as that of its work alone. */
  isShortened: boolean;
  /** By how much it may seem late as it started more slowly than those whose starts were seen. */
  slowStartMs: number;
  /** Faults: 1 where it ended otherwise, or ran on. */
  fires: Sample;
  /** Running times in ms, each beside what is tolerated on that side. */
  notEarly: Sample | null;
  notLate: Sample | null;
  /** Faults: 1 where it was charged. */
  free: Sample | null;
  /** It timed out, and tells what it cost. */
  isPriced: boolean;
}

/** Ours: a job seen running this many tolerances beyond its limit is not merely late. */
const RUNAWAY_TOLERANCES = 3;
/** Ours: a machine that was idle, or is new, has started up in that time. */
const SLOW_START_TOLERANCES = 3;

/**
 * Reads a job by its history alone; whoever calls sees to it that the input exceeds the limit.
 * Works with a single poll that shows the end, then on the service's own times. `stamp` says where
 * these begin, by what other jobs of the service have shown.
 */
export function readLimitedJob(
  history: JobHistory,
  bounds: LimitBounds,
  stamp: StartStamp,
): LimitReading {
  const readings = readHistories([history]);
  const read = readings.map((reading) => limitReading(reading, bounds, NO_LAG, stamp));
  const [job] = explainedByClock(read, readings, bounds);
  if (job === undefined) throw new Error("no reading of a job's history");
  return job;
}

/**
 * The same, with nothing known of the clock. `shownEarlyMs`: for how long jobs are shown running
 * before they do.
 */
export function limitReading(
  reading: JobReading,
  bounds: LimitBounds,
  lag: Lag,
  stamp: StartStamp,
  shownEarlyMs = 0,
): LimitReading {
  const run = runTimeOf(reading, stamp, shownEarlyMs);
  const end = endOf(reading);
  const timedOut = end === "timeout" && run !== null;
  const exchanges = exchangesOf(reading);
  // Variant A knows no start-up. Spec §3.1.
  const isStartUnseen = stamp === "unseen" && firstEnd(reading)?.job.variant === "B";
  return {
    history: reading.history,
    end,
    run,
    isShortened: timedOut && isShortOf(reading, bounds),
    slowStartMs: isStartUnseen ? SLOW_START_TOLERANCES * bounds.lateMs : 0,
    fires: { ...firesSample(reading, run, bounds), exchanges },
    notEarly: timedOut ? { ...earlySample(run, bounds, lag), exchanges } : null,
    notLate: timedOut ? { ...lateSample(run, bounds, lag), exchanges } : null,
    free: timedOut ? { exchanges, ...freeSample(reading) } : null,
    isPriced: timeoutsOf(reading).some(({ cost }) => Object.values(cost).some(Number.isFinite)),
  };
}

/** Reads jobs of one worker together: what some show of starts and of the clock holds for all. */
export function readLimitedJobs(
  jobs: readonly LimitedJob[],
  bounds: LimitBounds,
  assumed: StartStamp,
  shownEarlyMs: number,
): readonly LimitReading[] {
  const readings = readHistories(jobs.map(({ history }) => history));
  const stamp = startStampOf(readings, assumed);
  const read = readings.map((reading, at) =>
    limitReading(reading, bounds, jobs[at]?.lag ?? NO_LAG, stamp, shownEarlyMs),
  );
  const timeoutsMs = read.flatMap(timeoutRunMs);
  const told = read.map((job) => atReachedLimit(job, timeoutsMs, bounds));
  return explainedByClock(told, readings, bounds);
}

/** Ours: fewer timeouts tell not where their limit lies. */
const TIMEOUTS_MIN = 3;

/**
 * A job that ended otherwise after running for as long as its fellows that timed out had reached
 * the limit as they had, wherever within the tolerance it lies, and whatever a run leaves out.
 * Where their runs differ, so may the start-up in them: then it ran for longer than each of them.
 */
export function atReachedLimit(
  job: LimitReading,
  timeoutsMs: readonly number[],
  { earlyMs }: LimitBounds,
): LimitReading {
  const { fires, run } = job;
  const isDoubted = fires.low === 1 && (fires.above ?? []).length > 0;
  if (!isDoubted || timeoutsMs.length < TIMEOUTS_MIN) return job;
  const mostMs = mostOf(timeoutsMs);
  const limitMs = mostMs - leastOf(timeoutsMs) > earlyMs ? mostMs : medianOf(timeoutsMs);
  if ((run?.statedMs ?? 0) < limitMs) return job;
  const what = `${fires.what}, and others timed out after ${secondsText(limitMs)}`;
  return { ...job, fires: { ...fires, what, above: [] } };
}

/** How long a timed-out job says that it ran; none for any other. */
export function timeoutRunMs({ end, run }: LimitReading): readonly number[] {
  return end === "timeout" && run?.statedMs != null ? [run.statedMs] : [];
}

function exchangesOf(reading: JobReading): readonly Exchange[] {
  const { submission, polls } = reading.history;
  const shown = firstEnd(reading)?.exchange ?? polls.at(-1);
  return shown === undefined ? [submission] : [submission, shown];
}

function isShortOf(reading: JobReading, { limitMs, earlyMs }: LimitBounds): boolean {
  const { durationMs = null, startedAt = null } = firstEnd(reading)?.job ?? {};
  return startedAt === null && durationMs !== null && durationMs < limitMs - earlyMs;
}

function endOf(reading: JobReading): EndState | null {
  const state = firstEnd(reading)?.job.state;
  return isTerminal(state) ? state : null;
}

const KEPT = { low: 0, high: 0, what: "" };
const START_UP = "the interface leaves open whether start-up time counts";
const CLOCKS = "its timestamps may come from two machines, as its duration suggests";

/** Another end is lawful before the limit, as a worker may crash at any time. */
function firesSample(reading: JobReading, run: RunTime | null, bounds: LimitBounds): Sample {
  const end = endOf(reading);
  if (end === "timeout") return KEPT;
  if (end === null || run === null) return unendedSample(reading, bounds);
  const { limitMs, earlyMs } = bounds;
  const ran = `a job ended as ${end} after running ${secondsText(run.statedMs ?? run.lowMs)}`;
  if (run.highMs < limitMs - earlyMs) {
    return { low: 0, high: 1, what: `${ran}, before its limit of ${secondsText(limitMs)}` };
  }
  const what = `${ran}; promised timeout at ${secondsText(limitMs)}`;
  if (run.lowMs < limitMs - earlyMs) {
    const why = "it is unclear whether it had run that long";
    return { low: 1, high: 1, what, above: [anything("unknown start-up", why)] };
  }
  // Of the tolerance nothing is left to a job that tells by itself that it failed before.
  const isBefore = run.statedMs !== null && run.statedMs < limitMs;
  const why = "it may have failed just before its limit";
  return { low: 1, high: 1, what, above: anythingIf(isBefore, "another fault", why) };
}

function unendedSample(reading: JobReading, bounds: LimitBounds): Sample {
  const ranMs = seenRunningMs(reading);
  const limit = secondsText(bounds.limitMs);
  if (ranMs > bounds.limitMs + RUNAWAY_TOLERANCES * bounds.lateMs) {
    const ran = `a job was still running after ${secondsText(ranMs)}`;
    return { low: 1, high: 1, what: `${ran}; promised timeout at ${limit}` };
  }
  const state = statePolls(reading).at(-1)?.job.statusText ?? "not seen";
  return { low: 0, high: 1, what: `a job was ${state} when the wait for its end was over` };
}

/**
 * The time that start and end tell, which may leave out some of the start-up: where that was seen,
 * the run lies between both readings of what is open. Or what lies between the polls, of which as
 * much as is tolerated is theirs: they tell no finer.
 */
function earlySample(run: RunTime, bounds: LimitBounds, lag: Lag): Sample {
  const { lowMs, highMs, statedMs, roundingMs, seen } = run;
  const low = bounds.limitMs - bounds.earlyMs - roundingMs;
  const tolerated = { low, high: Number.POSITIVE_INFINITY };
  const lagged = upTo(lag.earlyMs, "host lag", laggedText(lag.earlyMs));
  if (statedMs !== null && !run.isOpenEnded) {
    const clocks = upTo(run.clocksMs, "clocks", CLOCKS);
    const what = told(run, bounds, "");
    const startUpMs = highMs - roundingMs - statedMs;
    if (run.startUp === "before") {
      const high = statedMs + startUpMs;
      const low = Math.min(statedMs, high);
      return { low, high, tolerated, below: [...clocks, ...lagged], what };
    }
    const below = [...upTo(startUpMs, "unknown start-up", START_UP), ...clocks, ...lagged];
    return { ...at(statedMs), tolerated, below, what };
  }
  const high = highMs - roundingMs;
  const seenMs = seen.lowMs + bounds.earlyMs;
  const most = `at most ${secondsText(highMs)}`;
  const ranText =
    statedMs === null
      ? most
      : `${secondsText(statedMs)} as it says, which may leave out its start-up, and ${most}`;
  const least = Math.min(high, Math.max(statedMs ?? lowMs, seenMs));
  const between = `between ${secondsText(Math.max(0, least))} and ${secondsText(high)}`;
  const toldAs = (text: string) => told({ ...run, statedMs: null }, bounds, text);
  return {
    low: least,
    high,
    tolerated,
    below: lagged,
    what: toldAs(ranText),
    ...(statedMs === null ? { unclear: `${toldAs(between)}: its polls tell no more` } : {}),
  };
}

function lateSample(run: RunTime, bounds: LimitBounds, lag: Lag): Sample {
  const { lowMs, statedMs, roundingMs, seen } = run;
  const high = bounds.limitMs + bounds.lateMs + roundingMs;
  const tolerated = { low: Number.NEGATIVE_INFINITY, high };
  const lagged = upTo(lag.lateMs, "host lag", laggedText(lag.lateMs));
  if (statedMs === null) {
    const what = told(run, bounds, `at least ${secondsText(lowMs)}`);
    return { low: lowMs, high: Math.max(lowMs, seen.highMs), tolerated, above: lagged, what };
  }
  const clocks = upTo(run.clocksMs, "clocks", CLOCKS);
  const what = told(run, bounds, "");
  const startUpMs = statedMs - lowMs - roundingMs;
  if (run.startUp === "within") {
    const low = statedMs - startUpMs;
    const high = Math.max(statedMs, low);
    return { low, high, tolerated, above: [...clocks, ...lagged], what };
  }
  const above = [...upTo(startUpMs, "unknown start-up", START_UP), ...clocks, ...lagged];
  return { ...at(statedMs), tolerated, above, what };
}

function at(ms: number) {
  return { low: ms, high: ms };
}

function laggedText(lagMs: number): string {
  return `the suite itself lagged ${Math.round(lagMs)} ms`;
}

/** `seen`: what the polls tell, where the job does not. */
function told({ statedMs }: RunTime, { limitMs }: LimitBounds, seen: string): string {
  const ran = statedMs === null ? seen : secondsText(statedMs);
  return `a job timed out after running ${ran}; promised ${secondsText(limitMs)}`;
}

function timeoutsOf(reading: JobReading): readonly Job[] {
  return statePolls(reading).flatMap(({ job }) => (job.state === "timeout" ? [job] : []));
}

/** A charge that is told at any time from the end on; none told is none made. Spec §2.5, §2.8. */
function freeSample(reading: JobReading): Sample {
  const charged = statePolls(reading).find(
    ({ job }) => job.state === "timeout" && chargeOf(job) !== null,
  );
  if (charged === undefined) return KEPT;
  const what = `a timed-out job is charged ${chargeOf(charged.job)}; promised 0`;
  const end = firstEnd(reading)?.exchange;
  const isLater = end !== undefined && end !== charged.exchange;
  return { low: 1, high: 1, what, ...(isLater ? { exchanges: [end, charged.exchange] } : {}) };
}

/** In total; parts that are told beside a total of 0 may have been waived. Spec §2.8. */
function chargeOf({ cost }: Job): string | null {
  const { credits, totalUsd, runUsd, infraUsd } = cost;
  const parts = totalUsd === null ? ([runUsd, infraUsd] as const) : [];
  const usd = parts.reduce<number>((sum, part) => sum + (part ?? 0), totalUsd ?? 0);
  if (credits !== null && credits > 0) return `${credits} credits`;
  return usd > 0 ? `${usd} USD` : null;
}
