/** Neighbouring values as batches, whose means depend on each other less than the values do. */

import { meanOf } from "./moments.ts";

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
