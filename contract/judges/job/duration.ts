/**
 * Judges that the stated duration is the true one, by three measures that never mix two clocks:
 * the service's own times, and what was seen from outside on the observer's. Spec §2.5.
 */

import type { Seen } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isBefore } from "../../requests/exchange.ts";
import { isWaiting } from "../../states.ts";
import { durationRoomMs, MACHINES_DIFFER_MS, precisionMs } from "../../time/timestamps.ts";
import type { Interval } from "../../timeline/interval.ts";
import { ANY_MS } from "../../timeline/interval.ts";
import type { Finding } from "../../verdict.ts";
import { clockSet, runOf, setInRun } from "./clock-set.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import {
  firstEnd,
  LONGEST_VIEW_LAG_MS,
  offsetAtMostMs,
  pollsToEnd,
  ROUNDING_MS,
  seenRunningMs,
  seenSlackMs,
  statePolls,
  VIEW_LAG_MS,
} from "./reading.ts";
import { aspectFaults, judgeSampled } from "./sample.ts";
import { hasSoundTimes } from "./timestamps.ts";

export function judgeDuration(readings: readonly JobReading[]): Finding {
  const offset = offsetAtMostMs(readings);
  const ended = readings.flatMap((reading) => endedRun(reading) ?? []);
  const longer = ended.filter((run) => overshownMs(run) > 0);
  const earlyMs = longer.map((run) => shownEarlyMs(run, offset)).filter((ms) => ms > 0);
  const byClocks = ended.filter((run) => (stampedRun(run, offset)?.beyondMs ?? 0) > 0).length;
  const off = ended.flatMap((run): Off[] => {
    const fault = statedFault(run, offset) ?? tooLong(run);
    return fault === null ? [] : [{ run, ...fault }];
  });
  const isOff = new Set(off.map(({ run }) => run));
  const others = ended.filter((run) => !isOff.has(run));
  const faults = [
    ...explained(readings, off),
    ...others.flatMap(changed),
    ...tooShort(others),
    ...(off.length === 0 ? inSteps(ended, offset) : []),
  ];
  return judgeSampled({
    promise: "job.duration",
    faults: [...aspectFaults(readings, "job.duration"), ...faults],
    samples: ended.length,
    kept:
      `${countText(ended.length, "duration")} in agreement with the observed times` +
      (byClocks === 0
        ? ""
        : `; ${byClocks} with timestamps that differ, as the clocks of two machines may`) +
      longerText(longer.length - earlyMs.length, earlyMs),
    without: "no ended job had a duration",
  });
}

interface EndedRun {
  reading: JobReading;
  end: StatePoll;
  durationMs: number;
}

function endedRun(reading: JobReading): EndedRun | null {
  const end = firstEnd(reading);
  if (end === null || end.job.durationMs === null) return null;
  return { reading, end, durationMs: end.job.durationMs };
}

/** A duration that can't be, and by how much the clock was set if that is why. */
interface Off {
  run: EndedRun;
  what: string;
  byMs: Interval;
}

function explained(readings: readonly JobReading[], off: readonly Off[]): readonly Seen[] {
  const suspects = off.map(({ run, byMs }) => setInRun(run.reading, byMs));
  const above = clockSet(readings, suspects);
  return off.map(({ what, run }) => ({ what, exchanges: [run.end.exchange], above }));
}

/** A duration that is told stays what it is, rounding apart. */
function changed({ reading, end, durationMs }: EndedRun): readonly Seen[] {
  const later = statePolls(reading).find(
    ({ exchange, job }) =>
      isBefore(end.exchange, exchange) &&
      job.state === end.job.state &&
      (job.durationMs === null || Math.abs(job.durationMs - durationMs) > ROUNDING_MS),
  );
  if (later === undefined) return [];
  const what = `duration_ms of an ended job went from ${durationMs} to ${later.job.durationMs}`;
  return [{ what, exchanges: [end.exchange, later.exchange] }];
}

/**
 * Against the service's own times. Whoever takes a submission, runs the job and notes its end may
 * be three machines, whose clocks differ; the duration is measured by one.
 */
function statedFault(run: EndedRun, offset: number | null): Omit<Off, "run"> | null {
  const stamped = stampedRun(run, offset);
  if (stamped === null || stamped.beyondMs <= MACHINES_DIFFER_MS) return null;
  const { from, spanMs } = stamped;
  const what = `duration_ms is ${run.durationMs}; ${from} and end are ${spanMs} ms apart`;
  return { what, byMs: runOf(run.reading)?.byMs ?? ANY_MS };
}

/**
 * How far the stamps lie apart, and by how much the duration is off: by more than may lie between
 * times seen from outside, as a service may state the limit that ended a run as its duration. It
 * may be shorter than all the time since the submission. null where job.timestamps finds fault.
 */
function stampedRun({ end, durationMs }: EndedRun, offset: number | null) {
  const { createdAt, startedAt, finishedAt } = end.job;
  const start = startedAt ?? createdAt;
  if (start === null || finishedAt === null || !hasSoundTimes(end, offset)) return null;
  const spanMs = Math.round(finishedAt.ms - start.ms);
  const roundingMs = Math.max(precisionMs(start), precisionMs(finishedAt));
  const slackMs = Math.max(seenSlackMs(spanMs), roundingMs);
  const isOff = startedAt !== null || durationMs > spanMs;
  const beyondMs = isOff ? Math.max(0, Math.abs(durationMs - spanMs) - slackMs) : 0;
  return { from: startedAt === null ? "submission" : "start", spanMs, beyondMs };
}

/** By far less than the run was seen to take, in variant A, which tells no start. */
function tooShort(ended: readonly EndedRun[]): readonly Seen[] {
  const seconds = inSeconds(ended);
  return seconds.length > 0 ? seconds : ofCutOff(ended);
}

/**
 * Ours: so many durations that are so small a part of the runs that were seen are no chance. A
 * limit is whole seconds, of the shortest of which a tenth is room for how exactly it is kept.
 * Spec §2.3.
 */
const CUT_OFF = { runsMin: 3, share: 0.25, workMsMin: 900 } as const;

/**
 * Where work alone is told, a start-up may be the most of a run, however long the limit: but what
 * that cut off has worked for a second. Views may lag.
 */
function ofCutOff(ended: readonly EndedRun[]): readonly Seen[] {
  const short = ended.filter(({ reading, durationMs }) => {
    return durationMs < (seenRunningMs(reading) - VIEW_LAG_MS) * CUT_OFF.share;
  });
  const isCutOff = short.some(({ end, durationMs }) => {
    return end.job.state === "timeout" && durationMs < CUT_OFF.workMsMin;
  });
  if (short.length < CUT_OFF.runsMin || !isCutOff) return [];
  return short.map(({ reading, end, durationMs }) => {
    const seen = `seen running for ${Math.round(seenRunningMs(reading))} ms`;
    const what = `duration_ms is ${durationMs} of a job that was ${seen}`;
    return { what, exchanges: [end.exchange] };
  });
}

/**
 * Ours: so many runs of such a length that each state as many milliseconds as they took seconds are
 * no chance. A duration of the work alone is shorter than the run, but seldom a thousand times.
 */
const IN_SECONDS = { runsMin: 3, seenMs: 3_000, roundingMs: 1_000 } as const;

/** Durations in seconds, where all runs that were seen to be long state one. */
function inSeconds(ended: readonly EndedRun[]): readonly Seen[] {
  const long = ended.filter(({ reading }) => seenRunningMs(reading) >= IN_SECONDS.seenMs);
  if (long.length < IN_SECONDS.runsMin || !long.every(mayBeSeconds)) return [];
  if (!areNoStartUps(long)) return [];
  return long.map(({ reading, end, durationMs }) => {
    const seen = `seen running for ${Math.round(seenRunningMs(reading))} ms`;
    const what = `duration_ms is ${durationMs}, as in seconds, of a job that was ${seen}`;
    return { what, exchanges: [end.exchange] };
  });
}

function mayBeSeconds(run: EndedRun): boolean {
  const { lowMs, highMs } = ranBetween(run);
  const meantMs = run.durationMs * 1_000;
  return meantMs > 0 && meantMs >= lowMs && meantMs <= highMs;
}

/** How long it may have run, by what was seen and with the room for views and rounding. */
function ranBetween({ reading, end }: EndedRun): Interval {
  const roomMs = IN_SECONDS.roundingMs + VIEW_LAG_MS;
  const mostMs = end.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  return { lowMs: seenRunningMs(reading) - roomMs, highMs: mostMs + roomMs };
}

/**
 * A container that starts for each job takes seconds, about the same each time, and its work may
 * take as many milliseconds. What a limit cut off has worked that long, and where runs are of
 * different lengths, the durations are so by their work.
 */
function areNoStartUps(long: readonly EndedRun[]): boolean {
  const ran = long.map(ranBetween);
  const isApart = ran.some((one) => ran.some((other) => one.highMs < other.lowMs));
  return isApart || long.some(({ end }) => end.job.state === "timeout");
}

/**
 * Ours: so many durations that are multiples of a step are no chance, and no clocks differ so
 * unequally beside it. Of tenths of a second only those of workers count whose runs differ: a
 * worker may take the same time for each.
 */
const STEPPED_MIN = 10;
const STEP_SPREAD_SHARE = 0.2;
const STEPS = [
  { stepMs: 1_000, said: "whole seconds", lengthsMin: 1 },
  { stepMs: 100, said: "tenths of a second", lengthsMin: 3 },
] as const;

/** A run whose start and end are told, and how much longer than its duration they are apart. */
interface ToldRun {
  run: EndedRun;
  spanMs: number;
  byMs: number;
}

/** Durations that were cut or rounded, where the times of the same runs were not. */
function inSteps(ended: readonly EndedRun[], offset: number | null): readonly Seen[] {
  const told = ended.flatMap((run): ToldRun[] => {
    const spanMs = stampedRun(run, offset)?.spanMs;
    const isTold = run.end.job.startedAt !== null && spanMs !== undefined;
    return isTold ? [{ run, spanMs, byMs: spanMs - run.durationMs }] : [];
  });
  const lengths = new Map<string, Set<number>>();
  for (const { run } of told) {
    const { workerId } = run.reading.history;
    lengths.set(workerId, (lengths.get(workerId) ?? new Set()).add(run.durationMs));
  }
  const lengthsOf = ({ run }: ToldRun) => lengths.get(run.reading.history.workerId)?.size ?? 0;
  for (const { stepMs, said, lengthsMin } of STEPS) {
    const tried = told.filter((each) => lengthsOf(each) >= lengthsMin);
    if (areStepped(tried, stepMs)) return tried.flatMap((each) => steppedFault(each, said));
  }
  return [];
}

function areStepped(told: readonly ToldRun[], stepMs: number): boolean {
  const offBy = told.map(({ byMs }) => byMs);
  const spreadMs = Math.max(...offBy) - Math.min(...offBy);
  const areMultiples = told.every(({ run }) => run.durationMs % stepMs === 0);
  // Times that are in steps themselves tell nothing of the durations'.
  const isFiner = told.some(({ spanMs }) => spanMs % stepMs !== 0);
  const isSpread = isFiner && spreadMs > stepMs * STEP_SPREAD_SHARE;
  return told.length >= STEPPED_MIN && areMultiples && isSpread;
}

function steppedFault({ run, spanMs, byMs }: ToldRun, said: string): readonly Seen[] {
  if (Math.abs(byMs) <= ROUNDING_MS) return [];
  const what = `duration_ms is ${run.durationMs}, in ${said}; start and end are ${spanMs} ms apart`;
  return [{ what, exchanges: [run.end.exchange] }];
}

/**
 * The run lies between the submission and the first poll of the ended job. A poll that shows the
 * job waiting tells of a later start where it came later than any view lags.
 */
function tooLong({ reading, end, durationMs }: EndedRun): Omit<Off, "run"> | null {
  const waitedUntilMs = (lastWait(reading)?.sentAtMs ?? 0) - LONGEST_VIEW_LAG_MS;
  const fromMs = Math.max(reading.history.submission.sentAtMs, waitedUntilMs);
  const spanMs = end.exchange.receivedAtMs - fromMs;
  const { finishedAt } = end.job;
  const roomMs = finishedAt === null ? 0 : durationRoomMs(durationMs, finishedAt);
  if (durationMs <= spanMs + Math.max(seenSlackMs(spanMs), roomMs)) return null;
  const seen = `according to polls the job took at most ${Math.round(spanMs)} ms`;
  const byMs = { ...ANY_MS, lowMs: durationMs - spanMs };
  return { what: `duration_ms is ${durationMs}; ${seen}`, byMs };
}

/**
 * The last poll before its start that shows the job waiting, with no start yet. Where variant A
 * starts up a worker is open: it may do so while the job is queued, and count it. Spec §3.1.
 */
function lastWait(reading: JobReading): Exchange | null {
  const polls = pollsToEnd(reading);
  const left = polls.findIndex(({ job }) => !isWaiting(job.state) || job.startedAt !== null);
  const last = polls[left - 1];
  return last?.job.variant === "B" ? last.exchange : null;
}

/** No view that lags shows a job running before its start. */
function longerText(lagging: number, earlyMs: readonly number[]): string {
  const seconds = (Math.max(0, ...earlyMs) / 1_000).toFixed(1);
  const early =
    `; ${earlyMs.length} shown running up to ${seconds} s before the start that they tell: ` +
    "a start-up may not be counted, or a first run";
  const late = `; ${lagging} shown running for longer, as a view may lag`;
  return (earlyMs.length === 0 ? "" : early) + (lagging === 0 ? "" : late);
}

/** How long before its stated start it was seen running, clocks apart; 0: not as far as known. */
function shownEarlyMs({ reading, end, durationMs }: EndedRun, offset: number | null): number {
  const { startedAt, finishedAt } = end.job;
  const startMs = startedAt?.ms ?? (finishedAt === null ? null : finishedAt.ms - durationMs);
  const running = pollsToEnd(reading).find(({ job }) => job.state === "running");
  if (offset === null || startMs === null || running === undefined) return 0;
  const aheadMs = startMs - offset - running.exchange.receivedAtMs;
  return Math.max(0, aheadMs - MACHINES_DIFFER_MS);
}

/**
 * How much longer it was seen running than it ran; 0: it was not. No fault: a view may lag, a
 * result be stored, or the duration be that of the work alone.
 */
function overshownMs({ reading, durationMs }: EndedRun): number {
  const spanMs = seenRunningMs(reading);
  return Math.max(0, spanMs - seenSlackMs(spanMs) - durationMs);
}
