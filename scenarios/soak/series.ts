/**
 * Counts and times by when they were, in a bounded number of equal steps: the steps widen as the
 * soak goes on.
 */

import type { Histogram } from "../../contract/histogram.ts";
import { mergeInto, newHistogram, recordValue } from "../../contract/histogram.ts";

type CountField = "offered" | "accepted" | "ended" | "completed" | "errors";

/** Answers to submissions, waits in the queue, and how late generator and machine were. */
type TimeField = "submit" | "queueWait" | "sendLag" | "loopDelay" | "hostLag";

type Counts = Record<CountField, number> & { backlogSum: number; backlogLooks: number };

export interface Step extends Counts {
  /** Only of what was timed: most steps of a short soak have no queue wait. */
  times: Partial<Record<TimeField, Histogram>>;
}

export interface Series {
  startMs: number;
  stepMs: number;
  steps: Step[];
}

/** Ours: what a plot shows, twice over before neighbours are joined. */
const STEPS_MAX = 600;
/** Ours: half a second is the finest that a rate of some jobs a second can be plotted in. */
const STEP_MS_MIN = 500;

export function newSeries(startMs: number): Series {
  return { startMs, stepMs: STEP_MS_MIN, steps: [] };
}

export function countInSeries(series: Series, field: CountField, atMs: number): void {
  stepAt(series, atMs)[field] += 1;
}

export function timeInSeries(series: Series, field: TimeField, atMs: number, ms: number): void {
  const { times } = stepAt(series, atMs);
  times[field] ??= newHistogram();
  recordValue(times[field], ms);
}

export function lookAtBacklog(series: Series, atMs: number, jobs: number): void {
  const step = stepAt(series, atMs);
  step.backlogSum += jobs;
  step.backlogLooks += 1;
}

function stepAt(series: Series, atMs: number): Step {
  const wanted = () => Math.max(0, Math.floor((atMs - series.startMs) / series.stepMs));
  while (wanted() >= STEPS_MAX) widen(series);
  const index = wanted();
  while (series.steps.length <= index) series.steps.push(emptyStep());
  return series.steps[index] ?? emptyStep();
}

function emptyStep(): Step {
  const empty = { offered: 0, accepted: 0, ended: 0, completed: 0, errors: 0 };
  return { ...empty, backlogSum: 0, backlogLooks: 0, times: {} };
}

function widen(series: Series): void {
  const joined: Step[] = [];
  for (let index = 0; index < series.steps.length; index += 2) {
    joined.push(sumOfSteps(series.steps.slice(index, index + 2)));
  }
  series.steps = joined;
  series.stepMs *= 2;
}

export function sumOfSteps(steps: readonly Step[]): Step {
  const sum = emptyStep();
  for (const { times, ...counts } of steps) {
    for (const name of Object.keys(counts) as (keyof Counts)[]) sum[name] += counts[name];
    for (const name of Object.keys(times) as TimeField[]) {
      const histogram = times[name];
      if (histogram === undefined) continue;
      sum.times[name] ??= newHistogram();
      mergeInto(sum.times[name], histogram);
    }
  }
  return sum;
}

/** Sum of a field over the steps that lie wholly within the times. */
export function sumBetween(
  series: Series,
  field: CountField,
  fromMs: number,
  untilMs: number,
): number {
  const [first, last] = [stepsTo(series, fromMs), stepsTo(series, untilMs)];
  return series.steps.slice(first, last).reduce((sum, step) => sum + step[field], 0);
}

/** Mean number of jobs in flight over the steps that lie within the times; null without a look. */
export function meanBacklog(series: Series, fromMs: number, untilMs: number): number | null {
  const steps = series.steps.slice(stepsTo(series, fromMs), stepsTo(series, untilMs));
  const looks = steps.reduce((sum, { backlogLooks }) => sum + backlogLooks, 0);
  if (looks === 0) return null;
  return steps.reduce((sum, { backlogSum }) => sum + backlogSum, 0) / looks;
}

function stepsTo(series: Series, atMs: number): number {
  return Math.max(0, Math.round((atMs - series.startMs) / series.stepMs));
}
