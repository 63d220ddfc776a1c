/**
 * The interval of a mean by the bootstrap, at any level: batches are drawn again, so that it stands
 * noise of unknown shape and neighbours that resemble each other.
 */

import { batchMeans } from "./batches.ts";
import { tExceededWith } from "./distributions.ts";
import { deviationOf, meanOf } from "./moments.ts";

/** Ours: the tails that are asked of it are resolved to a fifth of their size. */
const RESAMPLES = 1_000;
/** Ours: a quantile of fewer resamples than that is chance; beyond it, Student's tail goes on. */
const RESAMPLES_BEYOND_MIN = 10;
/** Ours: of fewer values no spread can be told. */
export const VALUES_MIN = 4;

/** The mean of some values with what its interval is made of. */
export interface MeanSpread {
  mean: number;
  standardError: number;
  degreesOfFreedom: number;
  /** Sizes of the studentised deviation in the resamples, ascending. */
  deviations: Float64Array;
}

export interface Interval {
  low: number;
  high: number;
}

/**
 * `errorMin`: what the standard error can't be below for reasons that the values don't show.
 * Throws RangeError for fewer than 4 values.
 */
export function spreadOf(
  values: readonly number[],
  random: () => number,
  errorMin = 0,
): MeanSpread {
  if (values.length < VALUES_MIN) {
    throw new RangeError(`${values.length} values; expected ${VALUES_MIN} or more`);
  }
  const batches = batchMeans(values);
  const seen = deviationOf(batches) / Math.sqrt(batches.length);
  const mean = meanOf(values);
  return {
    mean,
    standardError: Math.max(seen, errorMin),
    degreesOfFreedom: batches.length - 1,
    deviations: seen === 0 ? new Float64Array() : resampled(Float64Array.from(batches), random),
  };
}

/**
 * Both one-sided bounds at that level each. Symmetric bootstrap-t: P. Hall, "On symmetric bootstrap
 * confidence intervals", JRSS B 50 (1988), never narrower than Student's interval.
 */
export function intervalOf(spread: MeanSpread, level: number): Interval {
  if (!(level > 0)) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const reach = multiplier(spread, level) * spread.standardError;
  return { low: spread.mean - reach, high: spread.mean + reach };
}

function multiplier({ deviations, degreesOfFreedom }: MeanSpread, level: number): number {
  const student = tExceededWith(level, degreesOfFreedom);
  if (deviations.length === 0) return student;
  const resolved = Math.max(level, RESAMPLES_BEYOND_MIN / (2 * deviations.length));
  const at = Math.ceil((1 - 2 * resolved) * deviations.length) - 1;
  const ratio = (deviations[at] ?? 0) / tExceededWith(resolved, degreesOfFreedom);
  return student * Math.max(1, ratio);
}

function resampled(batches: Float64Array, random: () => number): Float64Array {
  const count = batches.length;
  const centre = batches.reduce((sum, value) => sum + value, 0) / count;
  const deviations = new Float64Array(RESAMPLES);
  for (let n = 0; n < RESAMPLES; n++) {
    let sum = 0;
    let squares = 0;
    for (let drawn = 0; drawn < count; drawn++) {
      const value = (batches[Math.floor(random() * count)] ?? 0) - centre;
      sum += value;
      squares += value * value;
    }
    const variance = (squares - (sum * sum) / count) / (count - 1);
    const error = Math.sqrt(Math.max(0, variance) / count);
    deviations[n] = error === 0 ? Number.POSITIVE_INFINITY : Math.abs(sum / count) / error;
  }
  return deviations.sort();
}
