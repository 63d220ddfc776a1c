/** Means, deviations and quantiles of short lists of numbers. */

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation of a sample, with n - 1; 0 for fewer than two values. */
export function deviationOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/**
 * The quantile at `share` in [0, 1], linear between neighbours; NaN of nothing.
 * Source: Hyndman & Fan, "Sample Quantiles in Statistical Packages" (1996), type 7.
 */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Correlation of each value with the next; 0 where nothing varies. */
export function autocorrelationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  let products = 0;
  let squares = 0;
  let previous: number | null = null;
  for (const value of values) {
    squares += (value - mean) ** 2;
    if (previous !== null) products += (previous - mean) * (value - mean);
    previous = value;
  }
  return squares === 0 ? 0 : products / squares;
}

/**
 * Ours: as many batches at the most. Schmeiser, "Batch size effects in the analysis of simulation
 * output", Operations Research 30 (1982): between 10 and 30 batches an interval gains little from
 * more of them, and longer batches hide more of the dependence between neighbours.
 */
const BATCHES_MAX = 24;

/** Means of up to 24 batches of almost equal size, in order; of few values each is its own. */
export function batchMeans(values: readonly number[]): number[] {
  const count = Math.min(BATCHES_MAX, values.length);
  return Array.from({ length: count }, (_, at) => {
    const from = Math.floor((at * values.length) / count);
    const to = Math.floor(((at + 1) * values.length) / count);
    return meanOf(values.slice(from, to));
  });
}
