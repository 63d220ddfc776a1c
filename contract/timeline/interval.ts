/** Stretches of time that contain an instant: what the timeline reckons with. */

/** Both ends belong to it; milliseconds on one clock. */
export interface Interval {
  lowMs: number;
  highMs: number;
}

export const ANY_MS: Interval = {
  lowMs: Number.NEGATIVE_INFINITY,
  highMs: Number.POSITIVE_INFINITY,
};

/** What both contain; null when they do not meet. */
export function intersection(a: Interval, b: Interval): Interval | null {
  const lowMs = Math.max(a.lowMs, b.lowMs);
  const highMs = Math.min(a.highMs, b.highMs);
  return lowMs <= highMs ? { lowMs, highMs } : null;
}

export function widthMs({ lowMs, highMs }: Interval): number {
  return highMs - lowMs;
}

export function middleMs({ lowMs, highMs }: Interval): number {
  return (lowMs + highMs) / 2;
}

export function difference(later: Interval, earlier: Interval): Interval {
  return {
    lowMs: Math.max(0, later.lowMs - earlier.highMs),
    highMs: Math.max(0, later.highMs - earlier.lowMs),
  };
}
