/** Whether jobs in flight grow: a line through counts, and how sure its slope is. */

import { meanOf, quantileOf } from "./statistics/moments.ts";

export interface Slope {
  start: number;
  end: number;
  perSecond: number;
  /** Standard error of the slope. */
  error: number;
  /** Degrees of freedom of that error: a few values tell little of how much they scatter. */
  freedom: number;
}

/** Ours: as much of a period may be missing. */
const SHORT = 0.1;
/** Ours: what one period differs from another is as good as so many values of it. */
const INDEPENDENT = 3;
/** From one quartile of a normal distribution to the other, in standard deviations. */
const NORMAL_QUARTILES = 1.349;

interface Count {
  atSeconds: number;
  value: number;
}

/**
 * Least squares through counts in order of time. Neighbouring values are alike for about
 * `memorySeconds`, so that fewer of them count as independent. Null for fewer than three.
 * Source: any textbook of regression; effective sample size after Bayley and Hammersley, 1946.
 */
export function slopeOf(counts: readonly Count[], memorySeconds: number): Slope | null {
  const n = counts.length;
  const [first, last] = [counts[0], counts.at(-1)];
  if (n < 3 || first === undefined || last === undefined) return null;
  const meanAt = meanOf(counts.map(({ atSeconds }) => atSeconds));
  const mean = meanOf(counts.map(({ value }) => value));
  const at = (count: Count) => count.atSeconds - meanAt;
  const spread = counts.reduce((sum, count) => sum + at(count) ** 2, 0);
  const shared = counts.reduce((sum, count) => sum + at(count) * (count.value - mean), 0);
  const perSecond = shared / spread;
  const residual = counts.reduce((sum, count) => {
    return sum + (count.value - mean - perSecond * at(count)) ** 2;
  }, 0);
  const stepSeconds = (last.atSeconds - first.atSeconds) / (n - 1);
  const alike = Math.max(1, Math.min(n / 3, (2 * memorySeconds) / stepSeconds));
  const variance = residual / Math.max(1, n - 2);
  return {
    start: Math.max(0, mean + perSecond * at(first)),
    end: Math.max(0, mean + perSecond * at(last)),
    perSecond,
    error: Math.sqrt((variance / spread) * alike),
    freedom: n - 2,
  };
}

/**
 * The same by what a count differs from the one a period before, over the last whole periods. Where
 * all that waits is taken in one go, or nothing for a while, a line through the counts rises though
 * nothing grows, as each tooth of the saw does. Null where they last less than two periods.
 */
export function slopeByPeriod(counts: readonly Count[], periodSeconds: number): Slope | null {
  const [first, last] = [counts[0], counts.at(-1)];
  if (first === undefined || last === undefined) return null;
  const periods = Math.floor((last.atSeconds - first.atSeconds) / periodSeconds + SHORT) - 1;
  if (periods < 1) return null;
  const fromSeconds = last.atSeconds - periods * periodSeconds;
  const grown = counts.flatMap(({ atSeconds, value }) => {
    const before = valueAt(counts, atSeconds - periodSeconds);
    return atSeconds <= fromSeconds || before === null ? [] : [value - before];
  });
  const perSecond = meanOf(grown) / periodSeconds;
  const latest = counts.filter(({ atSeconds }) => atSeconds > last.atSeconds - periodSeconds);
  const end = meanOf(latest.map(({ value }) => value));
  return {
    start: Math.max(0, end - perSecond * periods * periodSeconds),
    end,
    perSecond,
    error: middleSpread(grown) / Math.sqrt(INDEPENDENT * periods) / periodSeconds,
    freedom: counts.length - 2,
  };
}

/** Deviation by the quartiles: the teeth's edges differ by whole batches, and cancel in a mean. */
function middleSpread(values: readonly number[]): number {
  return (quantileOf(values, 0.75) - quantileOf(values, 0.25)) / NORMAL_QUARTILES;
}

/** Between two counts, evenly from one to the other. */
function valueAt(counts: readonly Count[], atSeconds: number): number | null {
  const after = counts.findIndex((count) => count.atSeconds >= atSeconds);
  const [from, to] = [counts[after - 1] ?? counts[after], counts[after]];
  if (from === undefined || to === undefined) return null;
  const share = (atSeconds - from.atSeconds) / Math.max(1e-9, to.atSeconds - from.atSeconds);
  return from.value + (to.value - from.value) * Math.min(1, Math.max(0, share));
}
