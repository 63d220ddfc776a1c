/**
 * The interval of a mean, or of the difference of two, by the bootstrap and at any level: batches
 * are drawn again, so that it stands noise of unknown shape and neighbours that are alike.
 */

import { tExceededWith } from "./distributions.ts";
import { batchMeans, deviationOf, meanOf } from "./moments.ts";

/** Ours: the tails that are asked of it are resolved to a fifth of their size. */
const RESAMPLES = 1_000;
/** Ours: a quantile of fewer resamples than that is chance; beyond it, Student's tail goes on. */
const RESAMPLES_BEYOND_MIN = 10;
/** Ours: a variance below this share of the usual one is a rounding error. */
const RELATIVE_MIN = 1e-9;
/** Ours: of fewer values no spread can be told. */
export const VALUES_MIN = 4;

/** A mean, or a difference of means, with what its interval is made of. */
export interface MeanSpread {
  mean: number;
  standardError: number;
  degreesOfFreedom: number;
  /** Sizes of the studentised deviation in the resamples, ascending. */
  deviations: Float64Array;
}

export interface ConfidenceInterval {
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
  errorMin: number,
): MeanSpread {
  const batches = checkedBatches(values);
  const mean = meanOf(values);
  return spread(
    { mean, groups: [batches], degreesOfFreedom: batches.length - 1 },
    random,
    errorMin,
  );
}

/**
 * Of mean(b) - mean(a), for values that are not paired; degrees of freedom after B. L. Welch,
 * Biometrika 34 (1947). Throws RangeError for fewer than 4 values on a side.
 */
export function spreadOfDifference(
  a: readonly number[],
  b: readonly number[],
  random: () => number,
): MeanSpread {
  const groups = [checkedBatches(a), checkedBatches(b)];
  const mean = meanOf(b) - meanOf(a);
  return spread({ mean, groups, degreesOfFreedom: welch(groups) }, random, 0);
}

/** As spreadOfDifference, of few values that are independent and near enough to normal. */
export function studentSpread(a: readonly number[], b: readonly number[]): MeanSpread {
  const groups = [checkedBatches(a), checkedBatches(b)];
  return {
    mean: meanOf(b) - meanOf(a),
    standardError: standardError(groups),
    degreesOfFreedom: welch(groups),
    deviations: new Float64Array(),
  };
}

function welch(groups: readonly (readonly number[])[]): number {
  const variances = groups.map((group) => deviationOf(group) ** 2 / group.length);
  const total = variances.reduce((sum, variance) => sum + variance, 0);
  const parts = variances.map((variance, at) => variance ** 2 / ((groups[at]?.length ?? 2) - 1));
  const least = Math.min(...groups.map((group) => group.length)) - 1;
  const degrees = total === 0 ? least : total ** 2 / parts.reduce((sum, part) => sum + part, 0);
  return Math.max(1, Math.floor(degrees));
}

function standardError(groups: readonly (readonly number[])[]): number {
  const variances = groups.map((group) => deviationOf(group) ** 2 / group.length);
  return Math.sqrt(variances.reduce((sum, variance) => sum + variance, 0));
}

/**
 * Both one-sided bounds at that level each. Symmetric bootstrap-t: P. Hall, "On symmetric bootstrap
 * confidence intervals", JRSS B 50 (1988), never narrower than Student's interval.
 */
export function intervalOf(spread: MeanSpread, level: number): ConfidenceInterval {
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

function checkedBatches(values: readonly number[]): readonly number[] {
  if (values.length >= VALUES_MIN) return batchMeans(values);
  throw new RangeError(`${values.length} values; expected ${VALUES_MIN} or more`);
}

interface Grouped {
  mean: number;
  /** Batches of each group, whose means add up, with whatever sign. */
  groups: readonly (readonly number[])[];
  degreesOfFreedom: number;
}

function spread(
  { mean, groups, degreesOfFreedom }: Grouped,
  random: () => number,
  errorMin: number,
): MeanSpread {
  const seen = standardError(groups);
  const deviations = seen === 0 ? new Float64Array() : resampled(groups, seen, random);
  return { mean, standardError: Math.max(seen, errorMin), degreesOfFreedom, deviations };
}

/** A resample without any spread, as of rare failures, is measured by the spread of all. */
function resampled(
  groups: readonly (readonly number[])[],
  standardError: number,
  random: () => number,
): Float64Array {
  const centred = groups.map((group) => {
    const mean = meanOf(group);
    return Float64Array.from(group, (value) => value - mean);
  });
  const deviations = new Float64Array(RESAMPLES);
  for (let n = 0; n < RESAMPLES; n++) {
    let shift = 0;
    let variance = 0;
    for (const [at, group] of centred.entries()) {
      const drawn = drawAgain(group, random);
      shift += at === 0 ? drawn.mean : -drawn.mean;
      variance += drawn.variance;
    }
    const error = variance > RELATIVE_MIN * standardError ** 2 ? variance ** 0.5 : standardError;
    deviations[n] = Math.abs(shift) / error;
  }
  return deviations.sort();
}

/** The mean of as many values drawn with replacement, and the variance of that mean. */
function drawAgain(values: Float64Array, random: () => number): { mean: number; variance: number } {
  const count = values.length;
  let sum = 0;
  let squares = 0;
  for (let n = 0; n < count; n++) {
    const value = values[Math.floor(random() * count)] ?? 0;
    sum += value;
    squares += value * value;
  }
  const variance = (squares - (sum * sum) / count) / (count - 1) / count;
  return { mean: sum / count, variance: Math.max(0, variance) };
}
