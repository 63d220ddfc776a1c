/**
 * The steepest line from one of some points to one of others that all lie to the right of them.
 * Only corners of the convex hulls count, found by Andrew's monotone chain (1979): of the hundreds
 * of thousands of requests of a strong key no pairs are tried.
 */

import { leastOf } from "../../extremes.ts";

export interface Point {
  x: number;
  y: number;
}

/** Its slope; -Infinity where there is none. Points that are not to the left of all others drop. */
export function steepest(from: readonly Point[], to: readonly Point[]): number {
  const leftOf = leastOf(to.map(({ x }) => x));
  const below = corners(
    from.filter(({ x }) => x < leftOf),
    1,
  );
  const above = corners(to, -1);
  let slope = Number.NEGATIVE_INFINITY;
  for (const a of below) for (const b of above) slope = Math.max(slope, (b.y - a.y) / (b.x - a.x));
  return slope;
}

/** Of the hull's lower side (1) or upper side (-1), from left to right. */
function corners(points: readonly Point[], side: 1 | -1): readonly Point[] {
  const hull: Point[] = [];
  const sorted = [...points].sort((a, b) => a.x - b.x || side * (b.y - a.y));
  for (const point of sorted) {
    while (!isCorner(hull, point, side)) hull.pop();
    hull.push(point);
  }
  return hull;
}

/** Whether the last one still is a corner when the hull goes on to that point. */
function isCorner(hull: readonly Point[], next: Point, side: 1 | -1): boolean {
  const [last, before] = [hull.at(-1), hull.at(-2)];
  if (last === undefined || before === undefined) return true;
  const turn =
    (last.x - before.x) * (next.y - before.y) - (last.y - before.y) * (next.x - before.x);
  return side * turn > 0;
}
