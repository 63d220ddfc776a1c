/** Quantiles that are asked for with every job, and worked out only now and then. */

import type { Histogram } from "../../contract/numbers/histogram.ts";
import { quantileOf } from "../../contract/numbers/histogram.ts";

export interface LearntQuantiles {
  /** The quantile `q`, worked out anew only when enough values have come. */
  at(histogram: Histogram, q: number): number | null;
}

interface Learnt {
  count: number;
  value: number | null;
}

/** Ours: a quantile hardly moves while the values grow by less. */
const GROWTH = 1.02;

export function learntQuantiles(): LearntQuantiles {
  const learnt = new Map<Histogram, Map<number, Learnt>>();
  return {
    at(histogram, q) {
      const known = learnt.get(histogram) ?? new Map<number, Learnt>();
      learnt.set(histogram, known);
      const before = known.get(q);
      if (before !== undefined && histogram.count <= before.count * GROWTH) return before.value;
      const value = quantileOf(histogram, q);
      known.set(q, { count: histogram.count, value });
      return value;
    },
  };
}
