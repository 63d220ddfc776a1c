/** A range of what was measured or is tolerated, and how a report writes it. */

import type { Measured } from "../strength.ts";

/** From the least to the most; infinite where a side has no bound. */
export interface Range {
  low: number;
  high: number;
}

/** "590 to 663 ms", "2 ms or less", "any". */
export function rangeText({ low, high }: Range, unit: Measured["unit"]): string {
  const [least, most] = [low, high].map((value) => figureText(value, unit));
  const suffix = UNIT_TEXT[unit];
  if (low === Number.NEGATIVE_INFINITY) {
    return high === Number.POSITIVE_INFINITY ? "any" : `${most}${suffix} or less`;
  }
  if (high === Number.POSITIVE_INFINITY) return `${least}${suffix} or more`;
  return least === most ? `${least}${suffix}` : `${least} to ${most}${suffix}`;
}

const UNIT_TEXT: Readonly<Record<Measured["unit"], string>> = {
  ms: " ms",
  "per second": "/s",
  requests: " requests",
  share: " %",
};

/** Ours: three digits of a rate or a share say as much as was measured. */
const DIGITS = 3;

function figureText(value: number, unit: Measured["unit"]): string {
  if (unit === "ms" || unit === "requests") return String(Math.round(value));
  return String(Number((unit === "share" ? value * 100 : value).toPrecision(DIGITS)));
}
