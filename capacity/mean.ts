/** The mean of a few runs with Student's interval. */

import type { CapacityEstimate } from "../report/capacity-model.ts";
import { tExceededWith } from "./statistics/distributions.ts";
import { deviationOf, meanOf } from "./statistics/moments.ts";

/** Null for fewer than two values. */
export function meanWithInterval(values: readonly number[]): CapacityEstimate | null {
  const n = values.length;
  if (n < 2) return null;
  const mean = meanOf(values);
  const half = (tExceededWith(0.025, n - 1) * deviationOf(values)) / Math.sqrt(n);
  return {
    perSecond: mean,
    low: Math.max(0, mean - half),
    high: mean + half,
    confidence: 0.95,
    method: `mean of ${n} runs, Student's t`,
  };
}
