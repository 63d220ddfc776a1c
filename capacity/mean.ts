/** The mean of a few runs with Student's interval. */

import type { CapacityEstimate } from "../report/capacity-model.ts";

/** 97.5 % quantiles of Student's t by degrees of freedom, from 1. Source: any table of it. */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262] as const;

/** Null for fewer than two values. */
export function meanWithInterval(values: readonly number[]): CapacityEstimate | null {
  const n = values.length;
  const quantile = STUDENT[n - 2] ?? STUDENT.at(-1);
  if (n < 2 || quantile === undefined) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = quantile * Math.sqrt(variance / n);
  return {
    perSecond: mean,
    low: Math.max(0, mean - half),
    high: mean + half,
    confidence: 0.95,
    method: `mean of ${n} runs, Student's t`,
  };
}
