/** Names of lines at their right ends, moved apart where lines end close to each other. */

import * as Plot from "@observablehq/plot";
import type { Axis } from "./axis.ts";
import { shareOf, valueAt } from "./axis.ts";

export interface EndLabel {
  /** Value of the line at its end; null leaves the label out. */
  at: number | null;
  text: string;
  color: string;
}

/** Ours: pixels from one line of text to the next. */
const LINE_HEIGHT = 15;
/** Plot's own margins above and below, which the axis does not use. */
const MARGINS = 64;

export function endLabels(
  labels: readonly EndLabel[],
  x: number,
  axis: Axis,
  height: number,
): Plot.CompoundMark {
  const known = labels.flatMap(({ at, ...label }) => (at === null ? [] : [{ ...label, at }]));
  const shares = known.map(({ at }) => shareOf(at, axis));
  const placed = spread(shares, LINE_HEIGHT / (height - MARGINS));
  return Plot.marks(
    known.map(({ text, color }, index) =>
      Plot.text([text], {
        x: () => x,
        y: () => valueAt(placed[index] ?? 0, axis),
        text: () => text,
        fill: color,
        fontWeight: 600,
        textAnchor: "start",
        dx: 6,
      }),
    ),
  );
}

/** The values in their order, at least `gap` apart and within 0 and 1, moved as little as goes. */
export function spread(values: readonly number[], gap: number): readonly number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const placed = [...values];
  let floor = 0;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, floor);
    floor = (placed[index] ?? 0) + gap;
  }
  let ceiling = 1;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, ceiling);
    ceiling = (placed[index] ?? 0) - gap;
  }
  return placed;
}
