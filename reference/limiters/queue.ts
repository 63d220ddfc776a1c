/**
 * Requests beyond the sustained rate wait in line, as in a leaky bucket that is a queue: one is
 * refused where as many are waiting already as may.
 */

import { type LimiterOptions, ROUNDING, refused, type Take } from "./limiter.ts";

/** Ours: for how long a proxy of which a delay was asked may hold a request, in ms. */
const HELD_MS = 400;

/** All but the first of a burst wait. */
export function queue(options: LimiterOptions): Take {
  return line(options, { atOnce: 1, waiting: options.burst - 1 });
}

/** A burst at once; what comes beyond it waits for up to 400 ms. */
export function delayingBucket(options: LimiterOptions): Take {
  const waiting = (options.sustained * HELD_MS) / 1_000;
  return line(options, { atOnce: options.burst, waiting });
}

/** The same, with no end to the line: nothing is ever refused. */
export function endlessQueue(options: LimiterOptions): Take {
  return line(options, { atOnce: options.burst, waiting: Number.POSITIVE_INFINITY });
}

/** So many that are admitted at once, and that wait after them. */
interface Places {
  atOnce: number;
  waiting: number;
}

/** A refused request takes no place in the line, whether it counts or not. */
function line({ sustained }: LimiterOptions, { atOnce, waiting }: Places): Take {
  const perMs = sustained / 1000;
  let [last, atMs] = [-1, Number.NEGATIVE_INFINITY];
  return (nowMs) => {
    const place = Math.max(-1, last - Math.max(0, nowMs - atMs) * perMs) + 1;
    const inLine = place - (atOnce - 1);
    if (inLine - waiting > ROUNDING) return refused((inLine - waiting) / perMs);
    [last, atMs] = [place, nowMs];
    return { admitted: true, waitMs: 0, delayMs: Math.max(0, inLine) / perMs };
  };
}
