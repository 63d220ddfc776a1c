/**
 * Counts and times by when they were, in a bounded number of equal steps: the steps widen as the
 * soak goes on. In columns of numbers, as k6 takes a kilobyte for each small object: so a soak of a
 * day has the memory of one of a minute.
 */

import type {
  CountField,
  LoadSteps,
  SumField,
  TimeField,
  WorstField,
} from "../../contract/judges/load/series.ts";
import {
  BUCKETS,
  bucketIn,
  byField,
  STEP_MS_MIN,
  STEPS_MAX,
  SUMS,
  TIMES,
  WORSTS,
} from "../../contract/judges/load/series.ts";

export interface Series {
  stepMs: number;
  /** Number of the first step since the epoch. */
  from: number;
  /** Steps that have begun. */
  length: number;
  watchedUntilMs: number;
  readonly sums: Readonly<Record<SumField, Float64Array>>;
  /** Number of values by bucket, BUCKETS for each step. */
  readonly buckets: Readonly<Record<TimeField, Uint32Array>>;
  /** NONE where nothing was timed. */
  readonly worst: Readonly<Record<WorstField, Float64Array>>;
}

const NONE = -1;

export function newSeries(startMs: number): Series {
  return {
    stepMs: STEP_MS_MIN,
    from: Math.floor(startMs / STEP_MS_MIN),
    length: 0,
    watchedUntilMs: startMs,
    sums: byField(SUMS, () => new Float64Array(STEPS_MAX)),
    buckets: byField(TIMES, () => new Uint32Array(STEPS_MAX * BUCKETS)),
    worst: byField(WORSTS, () => new Float64Array(STEPS_MAX).fill(NONE)),
  };
}

export function countInSeries(series: Series, field: CountField, atMs: number): void {
  addTo(series.sums[field], stepAt(series, atMs), 1);
}

export function timeInSeries(series: Series, field: TimeField, atMs: number, ms: number): void {
  const step = stepAt(series, atMs);
  addTo(series.buckets[field], step * BUCKETS + bucketIn(ms), 1);
  raise(series.worst[field], step, ms);
}

export function lagInSeries(
  series: Series,
  field: Exclude<WorstField, TimeField>,
  atMs: number,
  ms: number,
): void {
  raise(series.worst[field], stepAt(series, atMs), ms);
}

/** So many jobs were there since the last count. */
export function backlogInSeries(series: Series, atMs: number, jobs: number): void {
  addToBacklog(series, series.watchedUntilMs, atMs, jobs);
  series.watchedUntilMs = Math.max(series.watchedUntilMs, atMs);
}

/** One of them had left before that was known. */
export function leaveBacklog(series: Series, atMs: number): void {
  addToBacklog(series, atMs, series.watchedUntilMs, -1);
}

function addToBacklog(series: Series, startMs: number, endMs: number, jobs: number): void {
  for (let fromMs = startMs; fromMs < endMs; ) {
    const step = stepAt(series, fromMs);
    const untilMs = Math.min(endMs, (series.from + step + 1) * series.stepMs);
    addTo(series.sums.backlogMs, step, jobs * (untilMs - fromMs));
    fromMs = untilMs;
  }
}

function addTo(column: Float64Array | Uint32Array, index: number, count: number): void {
  column[index] = (column[index] ?? 0) + count;
}

function raise(column: Float64Array, index: number, ms: number): void {
  column[index] = Math.max(column[index] ?? NONE, ms);
}

function stepAt(series: Series, atMs: number): number {
  let step = Math.floor(atMs / series.stepMs) - series.from;
  while (step >= STEPS_MAX) {
    widen(series);
    step = Math.floor(atMs / series.stepMs) - series.from;
  }
  if (step < 0) step = 0;
  if (step >= series.length) series.length = step + 1;
  return step;
}

/** Joins each two steps, in place. */
function widen(series: Series): void {
  const { sums, buckets, worst, from, length } = series;
  const wideFrom = Math.floor(from / 2);
  const placeOf = (step: number) => Math.floor((from + step) / 2) - wideFrom;
  for (const column of Object.values(sums)) joinPairs(column, 0, addTo, placeOf);
  for (const field of TIMES) joinBuckets(buckets[field], worst[field], placeOf);
  for (const column of Object.values(worst)) joinPairs(column, NONE, raise, placeOf);
  series.length = length === 0 ? 0 : placeOf(length - 1) + 1;
  series.from = wideFrom;
  series.stepMs *= 2;
}

function joinPairs(
  column: Float64Array,
  empty: number,
  join: typeof raise,
  placeOf: (step: number) => number,
): void {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const value = column[step] ?? empty;
    if (placeOf(step) === step) continue;
    column[step] = empty;
    if (value !== empty) join(column, placeOf(step), value);
  }
}

/** No further than to the bucket of the worst: the load must not wait for this. */
function joinBuckets(
  column: Uint32Array,
  worst: Float64Array,
  placeOf: (step: number) => number,
): void {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const [from, to] = [step * BUCKETS, placeOf(step) * BUCKETS];
    if (to === from) continue;
    const last = bucketIn(worst[step] ?? NONE);
    for (let bucket = 0; bucket <= last; bucket += 1) {
      const count = column[from + bucket] ?? 0;
      if (count > 0) addTo(column, to + bucket, count);
    }
    column.fill(0, from, from + BUCKETS);
  }
}

/** As they leave in a record. */
export function stepsOf(series: Series): LoadSteps {
  const { stepMs, from, length, watchedUntilMs, sums, buckets, worst } = series;
  const known = (ms: number) => (ms === NONE ? null : ms);
  return {
    stepMs,
    from,
    watchedUntilMs,
    sums: byField(SUMS, (field) => [...sums[field].subarray(0, length)]),
    times: byField(TIMES, (field) =>
      Array.from({ length }, (_, step) => countsIn(buckets[field], step, worst[field][step])),
    ),
    worst: byField(WORSTS, (field) => [...worst[field].subarray(0, length)].map(known)),
  };
}

function countsIn(column: Uint32Array, step: number, worstMs = NONE): Record<number, number> {
  const counts: Record<number, number> = {};
  for (let bucket = 0; bucket <= bucketIn(worstMs); bucket += 1) {
    const count = column[step * BUCKETS + bucket] ?? 0;
    if (count > 0) counts[bucket] = count;
  }
  return counts;
}
