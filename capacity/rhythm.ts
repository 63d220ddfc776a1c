/** The period of a service that pauses, or starts jobs in batches, again and again. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { turnsIn } from "./pace.ts";
import type { Gapped } from "./standstill.ts";
import { standstillsIn, standstillsInside } from "./standstill.ts";

/** So many periods in so much time, from one standstill of a step to another one. */
export interface Rhythm {
  seconds: number;
  periods: number;
}

/** Ours: counts are kept by half seconds; what differs by more is another period, or none. */
const ALIKE = { share: 0.15, seconds: 0.5 };

/**
 * What one step tells, as the greatest time that all its standstills are multiples of; null of
 * fewer than two that began in it, and where they come at any time.
 */
export function rhythmIn(step: Gapped): Rhythm | null {
  const begins = beginsIn(step);
  const between = begins.slice(1).map((at, index) => at - (begins[index] ?? 0));
  if (between.length === 0) return rhythmOfTurns(step);
  const shortest = Math.min(...between);
  const periods = between.map((seconds) => Math.round(seconds / shortest));
  const isRegular = between.every((seconds, index) => {
    return isAlike(seconds / (periods[index] ?? 1), shortest);
  });
  if (!isRegular) return null;
  return { seconds: sumOf(between), periods: sumOf(periods) };
}

function rhythmOfTurns(step: Gapped): Rhythm | null {
  const seconds = turnsIn(step)?.periodSeconds ?? null;
  if (seconds === null) return null;
  const periods = Math.floor(step.seconds / seconds);
  return { seconds: seconds * periods, periods };
}

/** The first one of a step may be the time that a first job takes. */
function beginsIn(step: Gapped): number[] {
  const begins = standstillsIn(step).map(({ untilSeconds, ms }) => untilSeconds - ms / 1_000);
  return begins.filter((at) => at > 0);
}

/** By all steps that agree with the last one: a period may depend on the load. Null of none. */
export function periodSeconds(rhythms: readonly Rhythm[]): number | null {
  const last = rhythms.at(-1);
  if (last === undefined) return null;
  const alike = rhythms.filter((each) => isAlike(lengthOf(each), lengthOf(last)));
  return sumOf(alike.map(({ seconds }) => seconds)) / sumOf(alike.map(({ periods }) => periods));
}

function lengthOf({ seconds, periods }: Rhythm): number {
  return seconds / periods;
}

function isAlike(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(ALIKE.seconds, ALIKE.share * other);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Completed from the first standstill of a step to the last, a second; null of fewer than two. */
export function completedPerPeriod(step: CapacityStep): number | null {
  const begins = beginsIn(step);
  const [first = 0, last = 0] = [begins[0], begins.at(-1)];
  if (last <= first) return null;
  const inside = step.points.filter(({ atSeconds }) => atSeconds >= first && atSeconds < last);
  return sumOf(inside.map(({ completedPerSecond }) => completedPerSecond)) / inside.length;
}

/** Ours: no step is longer for a period; a standstill that comes so seldom costs little. */
const SOUGHT = { msMax: 60_000, standstills: 16 };

/**
 * How long the next steps are to last, so that they show when a standstill comes again; null once
 * that was in vain. `soughtMs`: as the last one was given.
 */
export function soughtAfter(soughtMs: number | null, step: CapacityStep): number | null {
  const phaseMs = (turnsIn(step)?.phaseSeconds ?? 0) * 1_000;
  const longestMs = Math.max(phaseMs, ...standstillsInside(step).map(({ ms }) => ms));
  if (soughtMs === null || longestMs === 0 || step.stopped !== null) return soughtMs;
  const lastedMs = step.seconds * 1_000;
  const isVain = lastedMs >= Math.min(SOUGHT.msMax, longestMs * SOUGHT.standstills);
  return isVain ? null : Math.max(soughtMs, lastedMs * 2);
}
