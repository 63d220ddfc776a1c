/** Requests in the order of their times, and counts in ascending times, by halving. */

/** A request on its way: the limiter saw it at some time from its sending to its answer. */
export interface Passage {
  sentAtMs: number;
  /** Infinity until it was answered. */
  receivedAtMs: number;
}

export function inTurn<Each extends Passage>(
  all: readonly Each[],
  by: keyof Passage = "sentAtMs",
): readonly Each[] {
  return all.toSorted((a, b) => a[by] - b[by]);
}

export function timesOf(all: readonly Passage[], by: keyof Passage): readonly number[] {
  return all.map((each) => each[by]).sort((a, b) => a - b);
}

/** How many of the times lie before that one. */
export function countBelow(timesMs: readonly number[], ms: number): number {
  return countWhile(timesMs, (time) => time < ms);
}

/** How many of the times pass; those that pass must come before all that don't. */
export function countWhile(timesMs: readonly number[], passes: (ms: number) => boolean): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(timesMs[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts as `countBelow` does, for times that are asked for in ascending order from one on. */
export function countsBelow(timesMs: readonly number[], fromMs: number): (ms: number) => number {
  let count = countBelow(timesMs, fromMs);
  return (ms) => {
    while ((timesMs[count] ?? Number.POSITIVE_INFINITY) < ms) count += 1;
    return count;
  };
}
