/** Whether jobs in flight grow: a line through counts, and how sure its slope is. */

import { tExceededWith } from "./statistics/distributions.ts";
import { meanOf } from "./statistics/moments.ts";

export interface Slope {
  start: number;
  end: number;
  perSecond: number;
  /** Standard error of the slope. */
  error: number;
  /** Degrees of freedom of that error: a few values tell little of how much they scatter. */
  freedom: number;
}

/** Ours: an error of few values is widened to that of more where a slope exceeds it so seldom. */
const TAIL = 0.025;

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
 * The same through the means between two of these moments each; null for fewer than three. Where
 * all that waits is taken in one go, a line through the counts themselves rises though nothing
 * grows, as each tooth of the saw does. `perInterval`: by how much the counts rise between two.
 */
export function slopeBetween(
  counts: readonly Count[],
  moments: readonly number[],
  perInterval: number,
): Slope | null {
  const means = meansBetween(counts, moments);
  const slope = slopeOf(means, 0);
  if (slope === null) return null;
  // A moment is known to an interval: half of what comes within it is missing in a mean, or too
  // much. That is known however few means there are; what else scatters, few of them tell badly.
  const meanAt = meanOf(means.map(({ atSeconds }) => atSeconds));
  const spread = means.reduce((sum, { atSeconds }) => sum + (atSeconds - meanAt) ** 2, 0);
  const least = perInterval / 2 / Math.sqrt(12 * spread);
  const freedom = counts.length - 2;
  const fewer = tExceededWith(TAIL, slope.freedom) / tExceededWith(TAIL, freedom);
  return { ...slope, error: Math.max(least, slope.error * fewer), freedom };
}

function meansBetween(counts: readonly Count[], moments: readonly number[]): Count[] {
  const [first, second] = counts;
  if (first === undefined || second === undefined) return [];
  const fromSeconds = 2 * first.atSeconds - second.atSeconds;
  const inside = moments.filter((moment) => moment >= fromSeconds);
  return inside.slice(1).flatMap((until, index) => {
    const each = counts.filter(({ atSeconds }) => {
      return atSeconds > (inside[index] ?? 0) && atSeconds <= until;
    });
    if (each.length === 0) return [];
    const atSeconds = meanOf(each.map((count) => count.atSeconds));
    return [{ atSeconds, value: meanOf(each.map(({ value }) => value)) }];
  });
}
