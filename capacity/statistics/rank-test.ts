/** Compares two small samples by ranks alone: whether they differ, and by how much. */

import { normalBelow } from "./distributions.ts";
import { quantileOf } from "./moments.ts";

export interface RankTest {
  /** Two-sided probability of a difference at least as clear between equal samples. */
  probability: number;
  /** From -1 to 1, where every b is above every a. N. Cliff, Psychological Bulletin 114 (1993). */
  delta: number;
  /** Median of all b - a. Hodges & Lehmann, Annals of Mathematical Statistics 34 (1963). */
  shift: number;
}

/** Ours: with more pairs than that the normal approximation is as good as counting. */
const EXACT_PAIRS_MAX = 2_500;

/** Mann & Whitney, Annals of Mathematical Statistics 18 (1947). Throws RangeError for no values. */
export function rankTest(a: readonly number[], b: readonly number[]): RankTest {
  if (a.length === 0 || b.length === 0) throw new RangeError("a side without values; expected one");
  const differences = b.flatMap((y) => a.map((x) => y - x));
  const above = differences.filter((each) => each > 0).length;
  const ties = differences.filter((each) => each === 0).length;
  const pairs = differences.length;
  const statistic = above + ties / 2;
  const isExact = ties === 0 && pairs <= EXACT_PAIRS_MAX && !hasTies(a) && !hasTies(b);
  return {
    probability: isExact ? exact(a.length, b.length, statistic) : approximate(a, b, statistic),
    delta: (2 * statistic) / pairs - 1,
    shift: quantileOf(differences, 0.5),
  };
}

function hasTies(values: readonly number[]): boolean {
  return new Set(values).size < values.length;
}

/** Counts the orders of the two samples by their statistic, with Mann and Whitney's recurrence. */
function exact(m: number, n: number, statistic: number): number {
  const counts = ordersOf(m, n);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const tail = Math.min(statistic, m * n - statistic);
  const beyond = counts.slice(0, tail + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * beyond) / total);
}

/** Numbers of orders with each statistic: the coefficients of the Gaussian binomial (m + n, m). */
function ordersOf(m: number, n: number): number[] {
  const counts = new Array<number>(m * n + 1).fill(0);
  counts[0] = 1;
  for (let factor = 1; factor <= m; factor++) {
    for (let at = counts.length - 1; at >= n + factor; at--) {
      counts[at] = (counts[at] ?? 0) - (counts[at - n - factor] ?? 0);
    }
    for (let at = factor; at < counts.length; at++) {
      counts[at] = (counts[at] ?? 0) + (counts[at - factor] ?? 0);
    }
  }
  return counts;
}

/** With corrections for ties and continuity. */
function approximate(a: readonly number[], b: readonly number[], statistic: number): number {
  const [m, n] = [a.length, b.length];
  const size = m + n;
  const groups = Map.groupBy([...a, ...b], (value) => value);
  const tied = [...groups.values()].reduce((sum, { length }) => sum + length ** 3 - length, 0);
  const variance = ((m * n) / 12) * (size + 1 - tied / (size * Math.max(1, size - 1)));
  if (variance <= 0) return 1;
  const distance = Math.max(0, Math.abs(statistic - (m * n) / 2) - 0.5);
  return Math.min(1, 2 * normalBelow(-distance / Math.sqrt(variance)));
}
