/** Lays the steps of two generators on each other, widened until all of them fit. */

import type { LoadSteps } from "./series.ts";
import { lengthOf, STEPS_MAX, SUMS, TIMES, WORSTS, worse } from "./series.ts";

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
    sums: record(SUMS, (field) =>
      column(
        0,
        (x, y) => x + y,
        ({ sums }) => sums[field],
      ),
    ),
    times: record(TIMES, (field) => column<Counts>({}, addCounts, ({ times }) => times[field])),
    worst: record(WORSTS, (field) =>
      column<number | null>(null, worse, ({ worst }) => worst[field]),
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

function record<Field extends string, Value>(
  names: readonly Field[],
  of: (field: Field) => Value,
): Record<Field, Value> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Field, Value>;
}
