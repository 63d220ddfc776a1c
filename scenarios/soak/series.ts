/** Counts by time, in a bounded number of equal steps: the steps widen as the soak goes on. */

export const SERIES_FIELDS = ["offered", "accepted", "ended", "completed", "errors"] as const;
export type SeriesField = (typeof SERIES_FIELDS)[number];

type Step = Record<SeriesField, number> & { backlogSum: number; backlogLooks: number };

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

export function countInSeries(series: Series, field: SeriesField, atMs: number): void {
  stepAt(series, atMs)[field] += 1;
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
  return { ...empty, backlogSum: 0, backlogLooks: 0 };
}

function widen(series: Series): void {
  const joined: Step[] = [];
  for (let index = 0; index < series.steps.length; index += 2) {
    joined.push(sumOf(series.steps[index], series.steps[index + 1]));
  }
  series.steps = joined;
  series.stepMs *= 2;
}

function sumOf(a: Step = emptyStep(), b: Step = emptyStep()): Step {
  const sum = emptyStep();
  for (const name of Object.keys(sum) as (keyof Step)[]) sum[name] = a[name] + b[name];
  return sum;
}

/** Sum of a field over the steps that lie wholly within the times. */
export function sumBetween(
  series: Series,
  field: SeriesField,
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
