/** Vertical axes: places on them, and marks of logarithmic ones, of which a library sets too many. */

import * as Plot from "@observablehq/plot";

/** Ours: an axis of two decades has two powers of ten, which are too few to read it by. */
const FINE_TICKS_RANGE = 200;

/** A vertical axis from `low` to `high`. */
export interface Axis {
  type: "linear" | "log";
  low: number;
  high: number;
}

/** Where a value lies between the ends of the axis, from 0 to 1. */
export function shareOf(value: number, { type, low, high }: Axis): number {
  const bounded = Math.min(high, Math.max(low, value));
  if (type === "linear") return (bounded - low) / (high - low);
  return Math.log(bounded / low) / Math.log(high / low);
}

export function valueAt(share: number, { type, low, high }: Axis): number {
  return type === "linear" ? low + share * (high - low) : low * (high / low) ** share;
}

/** Marks of a logarithmic axis with its lines; D3's own leaves out names of ticks it was given. */
export function logAxis(axis: Axis, label: string): Plot.CompoundMark {
  const ticks = logTicks(axis);
  return Plot.marks(Plot.gridY(ticks), Plot.axisY(ticks, { text: String, label }));
}

/** Powers of ten, and twice and five times where there are few of them. */
function logTicks({ low, high }: Axis): number[] {
  const powers = [-1, 0, 1, 2, 3, 4, 5, 6].map((exponent) => 10 ** exponent);
  const factors = high / low > FINE_TICKS_RANGE ? [1] : [1, 2, 5];
  const ticks = powers.flatMap((power) => factors.map((factor) => power * factor));
  return ticks.filter((tick) => tick >= low && tick <= high);
}
