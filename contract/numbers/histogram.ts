/** A histogram of bounded size for values of any range: quantiles of a day in a few kilobytes. */

/**
 * Logarithmic buckets, as in HdrHistogram and DDSketch: a quantile is off by at most one bucket.
 * Values up to VALUE_MIN share the first one.
 */
export interface Histogram {
  /** Number of values by bucket; the bucket with index i ends at VALUE_MIN x GROWTH^i. */
  readonly buckets: Record<number, number>;
  count: number;
  /** In whole numbers, whose sum is the same in any order. */
  sumMillionths: number;
  max: number;
}

/** Ours: 2 % is finer than any drift or objective that is judged by it. */
const GROWTH = 1.02;
/** Ours: milliseconds are measured no finer. */
const VALUE_MIN = 0.1;
const LOG_GROWTH = Math.log(GROWTH);

export function newHistogram(): Histogram {
  return { buckets: {}, count: 0, sumMillionths: 0, max: 0 };
}

export function recordValue(histogram: Histogram, value: number): void {
  const index = bucketOf(value);
  histogram.buckets[index] = (histogram.buckets[index] ?? 0) + 1;
  histogram.count += 1;
  histogram.sumMillionths += Math.round(value * 1e6);
  histogram.max = Math.max(histogram.max, value);
}

function mergeInto(histogram: Histogram, other: Histogram): void {
  for (const [index, count] of bucketsOf(other)) {
    histogram.buckets[index] = (histogram.buckets[index] ?? 0) + count;
  }
  histogram.count += other.count;
  histogram.sumMillionths += other.sumMillionths;
  histogram.max = Math.max(histogram.max, other.max);
}

export function mergeHistograms(parts: readonly Histogram[]): Histogram {
  const merged = newHistogram();
  for (const part of parts) mergeInto(merged, part);
  return merged;
}

/** The lowest bucket first: whole numbers as names of members are in their order. */
function bucketsOf({ buckets }: Histogram): readonly (readonly [index: number, count: number])[] {
  return Object.entries(buckets).map(([index, count]) => [Number(index), count]);
}

/** Of all values; 0 without any. */
export function meanOf({ count, sumMillionths }: Histogram): number {
  return sumMillionths / 1e6 / Math.max(1, count);
}

/** How far two values lie apart on average (Gini's mean difference); 0 without any. */
export function meanDifferenceOf(histogram: Histogram): number {
  const { count, max } = histogram;
  let [below, from, area] = [0, 0, 0];
  for (const [index, values] of bucketsOf(histogram)) {
    const value = Math.min(max, bucketEnd(index));
    area += (below / count) * (1 - below / count) * (value - from);
    below += values;
    from = value;
  }
  return 2 * area;
}

/** The value that the share `q` of all does not exceed (nearest rank); null without values. */
export function quantileOf(histogram: Histogram, q: number): number | null {
  if (histogram.count === 0) return null;
  const rank = Math.max(1, Math.ceil(q * histogram.count));
  let seen = 0;
  for (const [index, count] of bucketsOf(histogram)) {
    seen += count;
    if (seen >= rank) return Math.min(histogram.max, bucketEnd(index));
  }
  return histogram.max;
}

/** How many values lie above; those in the bucket of the value itself do not count. */
export function countAbove(histogram: Histogram, value: number): number {
  const bound = bucketOf(value);
  let above = 0;
  for (const [index, count] of bucketsOf(histogram)) if (index > bound) above += count;
  return above;
}

export function bucketOf(value: number): number {
  if (!(value > VALUE_MIN)) return 0;
  return Math.ceil(Math.log(value / VALUE_MIN) / LOG_GROWTH);
}

/** The highest value of a bucket. */
export function bucketEnd(index: number): number {
  return VALUE_MIN * GROWTH ** index;
}
