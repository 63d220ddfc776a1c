/** Durations of rules, in Prometheus' spelling; a scale below 1 lets a test see days in minutes. */

/** A duration in seconds under the scale, such as "5m" or "1500ms". */
export type Span = (seconds: number) => string;

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Durations under a scale; none is shorter than a millisecond, the least that Prometheus knows. */
export function spanAt(scale: number): Span {
  return (seconds) => spell(seconds === 0 ? 0 : Math.max(1, Math.round(seconds * scale * 1_000)));
}

/** How far back a rule looks: as a range, which a subquery may have in steps, and in seconds. */
export interface Lookback {
  range: string;
  seconds: number;
}

/** Each scrape of the last seconds, under the scale. */
export function lookback(seconds: number, scale: number): Lookback {
  return { range: spanAt(scale)(seconds), seconds: seconds * scale };
}

function spell(ms: number): string {
  if (ms === 0) return "0s";
  const unit = UNITS.find(([, size]) => ms % size === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}

export const MINUTE = 60;
export const HOUR = 3_600;
export const DAY = 86_400;
