/** Whether jobs in flight grow: a line through counts, and how sure its slope is. */

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

/**
 * Least squares through `values`, which lie `stepSeconds` apart. Neighbouring values are alike for
 * about `memorySeconds`, so that fewer of them count as independent. Null for fewer than three.
 * Source: any textbook of regression; effective sample size after Bayley and Hammersley, 1946.
 */
export function slopeOf(
  values: readonly number[],
  stepSeconds: number,
  memorySeconds: number,
): Slope | null {
  const n = values.length;
  if (n < 3) return null;
  const meanAt = ((n - 1) / 2) * stepSeconds;
  const mean = meanOf(values);
  const at = (index: number) => index * stepSeconds - meanAt;
  const spread = values.reduce((sum, _, index) => sum + at(index) ** 2, 0);
  const shared = values.reduce((sum, value, index) => sum + at(index) * (value - mean), 0);
  const perSecond = shared / spread;
  const residual = values.reduce((sum, value, index) => {
    return sum + (value - mean - perSecond * at(index)) ** 2;
  }, 0);
  const alike = Math.max(1, Math.min(n / 3, (2 * memorySeconds) / stepSeconds));
  const variance = residual / Math.max(1, n - 2);
  return {
    start: Math.max(0, mean + perSecond * at(0)),
    end: Math.max(0, mean + perSecond * at(n - 1)),
    perSecond,
    error: Math.sqrt((variance / spread) * alike),
    freedom: n - 2,
  };
}
