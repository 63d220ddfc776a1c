/**
 * How jobs end in the course of one step: when none did though many were due, whether they end
 * faster and slower in turns, and after which time that comes again.
 */

import type { CapacityStep } from "../report/capacity-model.ts";
import { autocorrelationOf, deviationOf, meanOf } from "./statistics/moments.ts";

export type Paced = Pick<CapacityStep, "points" | "seconds" | "ratePerSecond" | "runMs">;

export interface Course {
  standstills: readonly Standstill[];
  /** The longest time without an end, however few jobs were due. */
  longestMs: number;
  /** Null where the pace is even, or differs by chance. */
  turns: Turns | null;
  /** Null where nothing came again, or at any time. */
  rhythm: Rhythm | null;
}

export interface Standstill {
  /** Since the step began. */
  fromSeconds: number;
  untilSeconds: number;
  ms: number;
  /** It began and ended in the step: the first job's time is none. */
  isInside: boolean;
}

/** Ours: shorter gaps between ends, or of fewer jobs that were due, are chance. */
const GAP = { msMin: 1_000, jobsMin: 6 };

/** Between two points, in seconds; 0 of fewer. */
export function intervalOf(points: CapacityStep["points"]): number {
  return (points[1]?.atSeconds ?? 0) - (points[0]?.atSeconds ?? 0);
}

export function courseOf(step: Paced): Course {
  const gaps = gapsIn(step);
  const standstills = gaps.filter(({ ms }) => {
    return (ms / 1_000) * (step.ratePerSecond ?? 0) >= GAP.jobsMin;
  });
  const turns = turnsIn(step);
  const longestMs = longestOf(gaps);
  return { standstills, longestMs, turns, rhythm: rhythmIn(standstills, turns, step.seconds) };
}

export function longestOf(standstills: readonly Standstill[]): number {
  return Math.max(0, ...standstills.map(({ ms }) => ms));
}

/** In whole intervals of the step. */
function gapsIn({ points, seconds }: Paced): Standstill[] {
  const interval = intervalOf(points);
  const gaps: Standstill[] = [];
  let ms = 0;
  const close = (untilSeconds: number) => {
    const fromSeconds = untilSeconds - ms / 1_000;
    const isInside = fromSeconds > 0 && untilSeconds < seconds;
    if (ms >= GAP.msMin) gaps.push({ fromSeconds, untilSeconds, ms, isInside });
    ms = 0;
  };
  for (const { atSeconds, completedPerSecond, backlog } of points) {
    if (atSeconds + interval > seconds) continue;
    if (completedPerSecond === 0 && (backlog ?? 0) > 0) ms += interval * 1_000;
    else close(atSeconds);
  }
  close(seconds);
  return gaps;
}

export interface Turns {
  /** For about so long the pace is alike. */
  phaseSeconds: number;
  /** From one slow phase to the next; null where the step does not show two. */
  periodSeconds: number | null;
  /** Time of load that waits in a slow phase and is caught up with later. */
  swingMs: number;
}

/** Ours: of fewer values nothing is told; chance, or a difference that is smaller, is no turn. */
const TOLD = { valuesMin: 8, deviations: 2.33, shareMin: 0.15 };
/** Ours: nearly all runs that began before the step was full have ended. */
const FULL_AFTER_LIVES = 2;
/** A phase is like itself, on average of its moments, for half of its length. */
const ALIKE_OF_A_PHASE = 2;
/** Ours: longer than long and short jobs are alike by chance. */
const BEYOND_LIFE = 1.5;

/** What differs from one moment to the next by chance has neighbours no more alike than others. */
function turnsIn(step: Paced): Turns | null {
  const { points, seconds, ratePerSecond, runMs } = step;
  const interval = intervalOf(points);
  if (ratePerSecond === null || interval <= 0) return null;
  const lifeSeconds = (runMs?.p95 ?? 0) / 1_000;
  const first = points.find(({ completedPerSecond }) => completedPerSecond > 0)?.atSeconds ?? 0;
  const fromSeconds = Math.min(first + lifeSeconds * FULL_AFTER_LIVES, seconds / 3);
  const inside = points.filter(({ atSeconds }) => {
    return atSeconds >= fromSeconds && atSeconds + interval <= seconds;
  });
  const backlogs = inside.map(({ backlog }) => backlog ?? 0);
  const growth = differences(backlogs).map((jobs) => jobs / interval);
  if (growth.length < TOLD.valuesMin) return null;
  const alikeness = autocorrelationOf(growth);
  const isChance = alikeness * Math.sqrt(growth.length) < TOLD.deviations;
  const differing = deviationOf(growth) * Math.sqrt(Math.max(0, alikeness));
  if (isChance || differing < TOLD.shareMin * ratePerSecond) return null;
  const alike = correlationsOf(growth);
  const turn = alike.findIndex((value) => value <= 0);
  const alikeSeconds = (turn < 0 ? growth.length : turn) * interval;
  // What started together ends together, and leaves room for as many.
  if (alikeSeconds < lifeSeconds * BEYOND_LIFE) return null;
  const lag = turn < 0 ? null : peakAfter(alike, turn);
  return {
    phaseSeconds: alikeSeconds * ALIKE_OF_A_PHASE,
    periodSeconds: lag === null ? null : lag * interval,
    swingMs: (swingOf(backlogs) / ratePerSecond) * 1_000,
  };
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? 0));
}

/** Autocorrelation, by lag, as far as two of the longest fit in. */
function correlationsOf(values: readonly number[]): number[] {
  const mean = meanOf(values);
  const centred = values.map((value) => value - mean);
  const at = (lag: number) => {
    return meanOf(centred.slice(lag).map((value, index) => value * (centred[index] ?? 0)));
  };
  const own = at(0);
  return Array.from({ length: Math.floor(values.length / 2) + 1 }, (_, lag) => at(lag) / own);
}

/** Ours: phases that come again are as alike as that; the first of several such lags counts. */
const PEAK = { least: 0.35, ofHighest: 0.8 };

function peakAfter(alike: readonly number[], turn: number): number | null {
  const later = alike.slice(turn);
  const highest = Math.max(...later);
  const lag = later.findIndex((value, index) => {
    const isTop = value >= (later[index - 1] ?? 0) && value > (later[index + 1] ?? 1);
    return isTop && value >= highest * PEAK.ofHighest;
  });
  return highest < PEAK.least || lag < 0 ? null : turn + lag;
}

/** How far jobs in flight are from an even growth, between the extremes. */
function swingOf(backlogs: readonly number[]): number {
  const [first = 0, last = 0] = [backlogs[0], backlogs.at(-1)];
  const even = (index: number) => first + ((last - first) * index) / (backlogs.length - 1);
  const off = backlogs.map((value, index) => value - even(index));
  return Math.max(...off) - Math.min(...off);
}

/** So many periods in so much time, from one standstill of a step to another one. */
export interface Rhythm {
  seconds: number;
  periods: number;
}

/** Ours: counts are kept by half seconds; what differs by more is another period, or none. */
const ALIKE = { share: 0.15, seconds: 0.5 };

/** As the greatest time that all standstills are multiples of, where two or more began. */
function rhythmIn(
  standstills: readonly Standstill[],
  turns: Turns | null,
  stepSeconds: number,
): Rhythm | null {
  const begins = beginsOf(standstills);
  const between = begins.slice(1).map((at, index) => at - (begins[index] ?? 0));
  if (between.length === 0) {
    const seconds = turns?.periodSeconds ?? null;
    if (seconds === null) return null;
    const periods = Math.floor(stepSeconds / seconds);
    return { seconds: seconds * periods, periods };
  }
  const shortest = Math.min(...between);
  const periods = between.map((seconds) => Math.round(seconds / shortest));
  const isRegular = between.every((seconds, index) => {
    return isAlike(seconds / (periods[index] ?? 1), shortest);
  });
  return isRegular ? { seconds: sumOf(between), periods: sumOf(periods) } : null;
}

/** The first one of a step may be the time that a first job takes. */
function beginsOf(standstills: readonly Standstill[]): number[] {
  return standstills.flatMap(({ fromSeconds }) => (fromSeconds > 0 ? fromSeconds : []));
}

/** Whether two times may be the same. */
export function isAlike(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(ALIKE.seconds, ALIKE.share * other);
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Completed from the first standstill of a step to the last, a second; null of fewer than two. */
export function completedPerPeriod(step: CapacityStep): number | null {
  const begins = beginsOf(courseOf(step).standstills);
  const [first = 0, last = 0] = [begins[0], begins.at(-1)];
  if (last <= first) return null;
  const inside = step.points.filter(({ atSeconds }) => atSeconds >= first && atSeconds < last);
  return sumOf(inside.map(({ completedPerSecond }) => completedPerSecond)) / inside.length;
}
