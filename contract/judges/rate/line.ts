/**
 * Counts over time beside a line: a limit lets through what it gives at once, and so much for each
 * millisecond more. Points are a time and how many there were by then.
 */

import { leastOf } from "../../numbers/extremes.ts";

export interface Point {
  x: number;
  y: number;
}

interface Rise<From, To> {
  from: From;
  to: To;
  /** From the first to the second, beyond what a line of the slope rises. */
  beyond: number;
}

/** Of the pairs whose second is not before the first, that with the largest rise; both in order. */
export function largestRise<From extends Point, To extends Point>(
  starts: readonly From[],
  ends: readonly To[],
  slope: number,
): Rise<From, To> | null {
  let largest: Rise<From, To> | null = null;
  let from: From | null = null;
  let next = 0;
  for (const to of ends) {
    for (let start = starts[next]; start !== undefined && start.x <= to.x; start = starts[++next]) {
      if (from === null || riseOf(from, start, slope) < 0) from = start;
    }
    const beyond = from === null ? 0 : riseOf(from, to, slope);
    if (from !== null && beyond > (largest?.beyond ?? Number.NEGATIVE_INFINITY)) {
      largest = { from, to, beyond };
    }
  }
  return largest;
}

function riseOf(from: Point, to: Point, slope: number): number {
  return to.y - from.y - slope * (to.x - from.x);
}

/**
 * The slope of the steepest line; -Infinity where there is none. Points that are not to the left of
 * all ends drop. Whatever rises most above a line is steeper, until nothing does: W. Dinkelbach,
 * On nonlinear fractional programming, 1967.
 */
export function steepest(starts: readonly Point[], ends: readonly Point[]): number {
  const leftOf = leastOf(ends.map(({ x }) => x));
  const left = starts.filter(({ x }) => x < leftOf);
  let slope = Number.NEGATIVE_INFINITY;
  let [from, to] = [left[0], ends[0]];
  while (from !== undefined && to !== undefined) {
    const next = (to.y - from.y) / (to.x - from.x);
    if (!(next > slope)) break;
    slope = next;
    ({ from, to } = largestRise(left, ends, slope) ?? { from: undefined, to: undefined });
  }
  return slope;
}
