/** How far back alerts on canaries look: three intervals, in steps, as a range is a literal. */

import { DAY, HOUR, MINUTE, spanAt } from "./time.ts";

export interface Pace {
  /** Canaries whose intervals are longer than this, in seconds, and no longer than `upTo`. */
  above: number;
  upTo: number;
  window: number;
  /** What is seldom is not looked for in each scrape of days, at every evaluation. */
  step?: number;
}

/** Ours: each window holds three runs of the slowest canary of its step. */
export const PACES: readonly Pace[] = [
  { above: 0, upTo: 10 * MINUTE, window: 30 * MINUTE },
  { above: 10 * MINUTE, upTo: 2 * HOUR, window: 6 * HOUR },
  // Samples are current for five minutes: no step falls between two.
  { above: 2 * HOUR, upTo: DAY, window: 3 * DAY, step: 5 * MINUTE },
];

/** The window as a range, or as that of a subquery. */
export function rangeOf({ window, step }: Pace, scale: number): string {
  const span = spanAt(scale);
  return step === undefined ? span(window) : `${span(window)}:${span(step)}`;
}
