/** The steepest line between two sets of points: as by trying all pairs. */

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Point } from "../../../../contract/judges/rate/line.ts";
import { steepest } from "../../../../contract/judges/rate/line.ts";

const points = (least: number) =>
  fc.array(fc.record({ x: fc.integer({ min: least, max: least + 50 }), y: fc.integer() }), {
    maxLength: 60,
  });

function byPairs(from: readonly Point[], to: readonly Point[]): number {
  const slopes = from.flatMap((a) => to.map((b) => (b.y - a.y) / (b.x - a.x)));
  return Math.max(Number.NEGATIVE_INFINITY, ...slopes);
}

it("is that of all pairs", () => {
  fc.assert(
    fc.property(points(0), points(51), (from, to) => {
      expect(steepest(from, to)).toBe(byPairs(from, to));
    }),
    { numRuns: 500 },
  );
});

it("counts no point that is not to the left of all others", () => {
  const to = [
    { x: 10, y: 5 },
    { x: 20, y: 6 },
  ];
  expect(
    steepest(
      [
        { x: 0, y: 0 },
        { x: 10, y: -90 },
        { x: 15, y: 0 },
      ],
      to,
    ),
  ).toBe(0.5);
  expect(steepest([{ x: 12, y: 0 }], to)).toBe(Number.NEGATIVE_INFINITY);
});

it("takes a hundred thousand points to as many", () => {
  const many = (fromX: number) =>
    Array.from({ length: 100_000 }, (_, at) => ({ x: fromX + at / 10, y: fromX + (at % 7) }));
  expect(steepest(many(0), many(20_000))).toBeCloseTo(20_006 / (20_000.6 - 9_999.5), 9);
});
