/** How far back alerts on canaries look: three intervals, in steps, as a range is a literal. */

import type { Lookback } from "./time.ts";
import { DAY, HOUR, lookback, MINUTE, spanAt } from "./time.ts";

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

/** An expression for each pace, as one that holds where any of them does. */
export function atAnyPace(expressionAt: (pace: Pace) => string): string {
  const indented = (text: string) => text.replace(/^/gm, "  ");
  const each = PACES.map((pace) => indented(`(\n${indented(expressionAt(pace))}\n)`));
  return `(\n${each.join("\n  or\n")}\n)`;
}

export function lookbackOf({ window, step }: Pace, scale: number): Lookback {
  const whole = lookback(window, scale);
  return step === undefined ? whole : { ...whole, range: `${whole.range}:${spanAt(scale)(step)}` };
}
