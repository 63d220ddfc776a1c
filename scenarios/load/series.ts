/**
 * Counts and times by when they were, in a bounded number of equal steps: the steps widen as the
 * soak goes on. In columns of numbers, as k6 takes a kilobyte for each small object: so a soak of a
 * day has the memory of one of a minute.
 */

import { bucketEnd, bucketOf } from "../../contract/histogram.ts";

export type CountField = "offered" | "accepted" | "ended" | "completed" | "errors";
type SumField = CountField | "backlogSum" | "backlogLooks";

/** Answers to submissions, waits in the queue, and how late submissions were sent. */
const TIMES = ["submit", "queueWait", "sendLag"] as const;
type TimeField = (typeof TIMES)[number];

/** How late generator and machine were: only the worst of a step is told. */
type LagField = "loopDelay" | "hostLag";

/** Steps `from` to `to`, the last not included. */
export type Range = readonly [from: number, to: number];

export interface Series {
  startMs: number;
  stepMs: number;
  /** Steps that have begun. */
  length: number;
  readonly sums: Readonly<Record<SumField, Float64Array>>;
  /** Number of values by bucket, BUCKETS for each step. */
  readonly buckets: Readonly<Record<TimeField, Uint32Array>>;
  /** NONE where nothing was timed. */
  readonly worst: Readonly<Record<TimeField | LagField, Float64Array>>;
}

/** Ours: what a plot shows, twice over before neighbours are joined. */
const STEPS_MAX = 600;
/** Ours: half a second is the finest that a rate of some jobs a second can be plotted in. */
const STEP_MS_MIN = 500;
/** Ours: buckets of a histogram that are one here; 4 % is as fine as a plot of this height. */
const JOINED = 2;
/** Up to a quarter of an hour; what takes longer counts as that, but for the worst. */
const BUCKETS = Math.ceil(bucketOf(900_000) / JOINED) + 1;
const NONE = -1;

const newSums = () => new Float64Array(STEPS_MAX);
const newBuckets = () => new Uint32Array(STEPS_MAX * BUCKETS);
const newWorst = () => new Float64Array(STEPS_MAX).fill(NONE);

export function newSeries(startMs: number): Series {
  return {
    startMs,
    stepMs: STEP_MS_MIN,
    length: 0,
    sums: {
      offered: newSums(),
      accepted: newSums(),
      ended: newSums(),
      completed: newSums(),
      errors: newSums(),
      backlogSum: newSums(),
      backlogLooks: newSums(),
    },
    buckets: { submit: newBuckets(), queueWait: newBuckets(), sendLag: newBuckets() },
    worst: {
      submit: newWorst(),
      queueWait: newWorst(),
      sendLag: newWorst(),
      loopDelay: newWorst(),
      hostLag: newWorst(),
    },
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

export function lagInSeries(series: Series, field: LagField, atMs: number, ms: number): void {
  raise(series.worst[field], stepAt(series, atMs), ms);
}

export function lookAtBacklog(series: Series, atMs: number, jobs: number): void {
  const step = stepAt(series, atMs);
  addTo(series.sums.backlogSum, step, jobs);
  addTo(series.sums.backlogLooks, step, 1);
}

function addTo(column: Float64Array | Uint32Array, index: number, count: number): void {
  column[index] = (column[index] ?? 0) + count;
}

function raise(column: Float64Array, index: number, ms: number): void {
  column[index] = Math.max(column[index] ?? NONE, ms);
}

function stepAt(series: Series, atMs: number): number {
  const wanted = () => Math.max(0, Math.floor((atMs - series.startMs) / series.stepMs));
  while (wanted() >= STEPS_MAX) widen(series);
  const step = wanted();
  series.length = Math.max(series.length, step + 1);
  return step;
}

/** Joins each two steps, in place. */
function widen(series: Series): void {
  const { sums, buckets, worst } = series;
  for (const column of Object.values(sums)) joinPairs(column, 0, addTo);
  for (const field of TIMES) joinBuckets(buckets[field], worst[field]);
  for (const column of Object.values(worst)) joinPairs(column, NONE, raise);
  series.length = Math.ceil(series.length / 2);
  series.stepMs *= 2;
}

function joinPairs(column: Float64Array, empty: number, join: typeof raise): void {
  for (let step = 1; step < STEPS_MAX; step += 1) {
    const value = column[step] ?? empty;
    column[step] = empty;
    if (value !== empty) join(column, step >> 1, value);
  }
}

/** No further than to the bucket of the worst: the load must not wait for this. */
function joinBuckets(column: Uint32Array, worst: Float64Array): void {
  for (let step = 1; step < STEPS_MAX; step += 1) {
    const [from, to] = [step * BUCKETS, (step >> 1) * BUCKETS];
    const last = bucketIn(worst[step] ?? NONE);
    for (let bucket = 0; bucket <= last; bucket += 1) {
      const count = column[from + bucket] ?? 0;
      if (count > 0) addTo(column, to + bucket, count);
    }
    column.fill(0, from, from + BUCKETS);
  }
}

function bucketIn(ms: number): number {
  return Math.min(BUCKETS - 1, Math.ceil(bucketOf(ms) / JOINED));
}

export function sumOf(series: Series, field: SumField, [from, to]: Range): number {
  return series.sums[field].subarray(from, to).reduce((sum, value) => sum + value, 0);
}

/** Mean number of jobs in flight; null without a look. */
export function meanBacklog(series: Series, range: Range): number | null {
  const looks = sumOf(series, "backlogLooks", range);
  return looks === 0 ? null : sumOf(series, "backlogSum", range) / looks;
}

/** The longest; null where nothing was timed. */
export function worstOf(
  series: Series,
  field: TimeField | LagField,
  [from, to]: Range,
): number | null {
  const worst = series.worst[field].subarray(from, to).reduce((a, b) => Math.max(a, b), NONE);
  return worst === NONE ? null : worst;
}

/** What the share `q` of the times does not exceed, to 4 %; null without times. */
export function quantileIn(
  series: Series,
  field: TimeField,
  range: Range,
  q: number,
): number | null {
  const worst = worstOf(series, field, range);
  if (worst === null) return null;
  const counts = Array.from({ length: bucketIn(worst) + 1 }, (_, bucket) =>
    countIn(series.buckets[field], bucket, range),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(q * all));
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  return bucket === BUCKETS - 1 ? worst : Math.min(worst, bucketEnd(bucket * JOINED));
}

function countIn(column: Uint32Array, bucket: number, [from, to]: Range): number {
  let count = 0;
  for (let step = from; step < to; step += 1) count += column[step * BUCKETS + bucket] ?? 0;
  return count;
}

/** The steps that lie wholly within the times. */
export function stepsBetween(series: Series, fromMs: number, untilMs: number): Range {
  return [stepsTo(series, fromMs), stepsTo(series, untilMs)];
}

function stepsTo({ startMs, stepMs, length }: Series, atMs: number): number {
  return Math.min(length, Math.max(0, Math.round((atMs - startMs) / stepMs)));
}
