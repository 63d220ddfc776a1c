/**
 * Counts and times of a load in a bounded number of equal steps, as they leave in a record. Steps
 * are counted from the epoch, so that those of several generators fall on each other.
 */

import { greaterOf } from "../../numbers/figures.ts";
import { bucketEnd, bucketOf } from "../../numbers/histogram.ts";

const COUNTS = ["offered", "accepted", "ended", "completed", "errors"] as const;
export type CountField = (typeof COUNTS)[number];
/** The backlog in jobs times milliseconds. */
export const SUMS = [...COUNTS, "backlogMs"] as const;
export type SumField = (typeof SUMS)[number];

/** Answers to submissions and to polls, waits in the queue, how late submissions were sent. */
export const TIMES = ["submit", "poll", "queueWait", "sendLag"] as const;
export type TimeField = (typeof TIMES)[number];

/** How late generator and machine were: only the worst of a step is told. */
export const WORSTS = [...TIMES, "loopDelay", "hostLag"] as const;
export type WorstField = (typeof WORSTS)[number];

/** Steps `from` to `to` of a series, the last not included; the first one is step 0. */
export type Range = readonly [from: number, to: number];

/** All lists are equally long: an item a step. */
export interface LoadSteps {
  stepMs: number;
  /** Number of the first step since the epoch. */
  from: number;
  /** Until then the backlog was counted. */
  watchedUntilMs: number;
  sums: Readonly<Record<SumField, readonly number[]>>;
  /** Number of values by bucket. */
  times: Readonly<Record<TimeField, readonly Readonly<Record<number, number>>[]>>;
  /** Null where nothing was timed. */
  worst: Readonly<Record<WorstField, readonly (number | null)[]>>;
}

/** Ours: what a plot shows, twice over before neighbours are joined. */
export const STEPS_MAX = 600;
/** Ours: half a second is the finest that a rate of some jobs a second can be plotted in. */
export const STEP_MS_MIN = 500;
/** Ours: buckets of a histogram that are one here; 4 % is as fine as a plot of this height. */
const JOINED = 2;
/** Up to a quarter of an hour; what takes longer counts as that, but for the worst. */
export const BUCKETS = Math.ceil(bucketOf(900_000) / JOINED) + 1;

export function bucketIn(ms: number): number {
  return Math.min(BUCKETS - 1, Math.ceil(bucketOf(ms) / JOINED));
}

export function lengthOf({ sums }: LoadSteps): number {
  return sums.offered.length;
}

export function sumOf({ sums }: LoadSteps, field: SumField, [from, to]: Range): number {
  return sums[field].slice(from, to).reduce((sum, value) => sum + value, 0);
}

/** Mean number of jobs in flight; null where nobody counted. */
export function meanBacklog(series: LoadSteps, [from, to]: Range): number | null {
  const startMs = (series.from + from) * series.stepMs;
  const untilMs = Math.min((series.from + to) * series.stepMs, series.watchedUntilMs);
  return untilMs <= startMs ? null : sumOf(series, "backlogMs", [from, to]) / (untilMs - startMs);
}

/** The same of single steps, which need not follow each other. */
export function meanBacklogIn(series: LoadSteps, steps: readonly number[]): number | null {
  const { stepMs, watchedUntilMs, sums } = series;
  const watched = steps.filter((step) => (series.from + step + 1) * stepMs <= watchedUntilMs);
  const sum = watched.reduce((all, step) => all + (sums.backlogMs[step] ?? 0), 0);
  return watched.length === 0 ? null : sum / (watched.length * stepMs);
}

/** Evidence of an earlier version has nothing of what was not timed then. */
export function timesIn({ times }: LoadSteps, field: TimeField): LoadSteps["times"][TimeField] {
  return times[field] ?? [];
}

/** The longest; null where nothing was timed. */
export function worstOf({ worst }: LoadSteps, field: WorstField, [from, to]: Range): number | null {
  return worst[field].slice(from, to).reduce(greaterOf, null);
}

/** What the share `q` of the times does not exceed, to 4 %; null without times. */
export function quantileIn(
  series: LoadSteps,
  field: TimeField,
  range: Range,
  q: number,
): number | null {
  const worst = worstOf(series, field, range);
  if (worst === null) return null;
  const counts: number[] = Array.from({ length: bucketIn(worst) + 1 }, () => 0);
  for (const step of series.times[field].slice(...range)) {
    for (const [bucket, count] of Object.entries(step)) {
      counts[Number(bucket)] = (counts[Number(bucket)] ?? 0) + count;
    }
  }
  const all = counts.reduce((sum, count) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(q * all));
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  return bucket === BUCKETS - 1 ? worst : Math.min(worst, bucketEnd(bucket * JOINED));
}

/** The steps that lie between the times, to the nearest. */
export function stepsBetween(series: LoadSteps, fromMs: number, untilMs: number): Range {
  return [stepNear(series, fromMs), stepNear(series, untilMs)];
}

function stepNear(series: LoadSteps, atMs: number): number {
  const step = Math.round(atMs / series.stepMs) - series.from;
  return Math.min(lengthOf(series), Math.max(0, step));
}

/** The whole steps between the times: what is left of the first and the last one is left out. */
export function wholeSteps(series: LoadSteps, fromMs: number, untilMs: number): Range {
  const [first, last] = [Math.ceil(fromMs / series.stepMs), Math.floor(untilMs / series.stepMs)];
  return [first - series.from, last - series.from];
}

type Counts = Readonly<Record<number, number>>;

export function mergeSeries(a: LoadSteps, b: LoadSteps): LoadSteps {
  let stepMs = Math.max(a.stepMs, b.stepMs);
  while (spanOf(a, b, stepMs).length > STEPS_MAX) stepMs *= 2;
  const { from, length } = spanOf(a, b, stepMs);
  const both = [a, b].map((series) => ({
    series,
    // Steps double, and are counted from the epoch: each falls into one wider one as a whole.
    placeOf: (at: number) => Math.floor((series.from + at) / (stepMs / series.stepMs)) - from,
  }));
  const column = <Value>(
    empty: Value,
    join: (a: Value, b: Value) => Value,
    of: (series: LoadSteps) => readonly Value[],
  ): Value[] => {
    const joined = Array.from({ length }, () => empty);
    for (const { series, placeOf } of both) {
      for (const [at, value] of of(series).entries()) {
        const place = placeOf(at);
        joined[place] = join(joined[place] ?? empty, value);
      }
    }
    return joined;
  };
  return {
    stepMs,
    from,
    watchedUntilMs: Math.max(a.watchedUntilMs, b.watchedUntilMs),
    sums: byField(SUMS, (field) =>
      column(
        0,
        (x, y) => x + y,
        ({ sums }) => sums[field],
      ),
    ),
    times: byField(TIMES, (field) => column<Counts>({}, addCounts, (each) => timesIn(each, field))),
    worst: byField(WORSTS, (field) =>
      column<number | null>(null, greaterOf, ({ worst }) => worst[field] ?? []),
    ),
  };
}

function spanOf(a: LoadSteps, b: LoadSteps, stepMs: number) {
  const firsts = [a, b].map((each) => Math.floor((each.from * each.stepMs) / stepMs));
  const lasts = [a, b].map((each) => {
    const last = each.from + Math.max(1, lengthOf(each)) - 1;
    return Math.floor((last * each.stepMs) / stepMs);
  });
  const from = Math.min(...firsts);
  return { from, length: Math.max(...lasts) - from + 1 };
}

function addCounts(a: Counts, b: Counts): Counts {
  const sum = { ...a };
  for (const [bucket, count] of Object.entries(b)) {
    sum[Number(bucket)] = (sum[Number(bucket)] ?? 0) + count;
  }
  return sum;
}

export function byField<Field extends string, Value>(
  names: readonly Field[],
  of: (field: Field) => Value,
): Record<Field, Value> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Field, Value>;
}
