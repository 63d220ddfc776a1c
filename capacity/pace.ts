/** Whether a service works faster and slower in turns: what jobs in flight grow by tells. */

import type { Gapped } from "./standstill.ts";
import { intervalOf } from "./standstill.ts";
import { autocorrelationOf, deviationOf, meanOf } from "./statistics/moments.ts";

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

/**
 * Null where the pace is even, or differs from one moment to the next by chance: then neighbours
 * are no more alike than others.
 */
export function turnsIn(step: Gapped): Turns | null {
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
