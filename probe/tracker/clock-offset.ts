/**
 * How far the service's clock is ahead of the probe's: the intersection of what each submission
 * allows, as its timestamp was written between the sending of the POST and the receipt of the
 * answer.
 */

import type { Interval } from "./interval.ts";
import { intersection } from "./interval.ts";

interface Window extends Interval {
  atMs: number;
}

/** What was learnt of the offset so far; newest last. */
export interface OffsetKnowledge {
  readonly windows: readonly Window[];
  /** Times that the newest submissions contradicted the older ones: a clock was set. */
  readonly steps: number;
}

export const NOTHING_KNOWN: OffsetKnowledge = { windows: [], steps: 0 };

/** Ours: some ten minutes of canaries; what is older says little of a drifting clock. */
const WINDOWS_MAX = 64;
/** Ours: quartz clocks drift by less, so that a window widens by this share of its age. */
const DRIFT_SHARE = 100e-6;
/** Ours: one contradiction may be one wrong timestamp, this many are a clock that was set. */
const CONTRADICTIONS_MAX = 3;

/** Adds a submission: `createdMs` on the service's clock, the window on the probe's. */
export function learnOffset(
  known: OffsetKnowledge,
  createdMs: Interval,
  { sentAtMs, receivedAtMs }: { sentAtMs: number; receivedAtMs: number },
): OffsetKnowledge {
  const window = {
    lowMs: createdMs.lowMs - receivedAtMs,
    highMs: createdMs.highMs - sentAtMs,
    atMs: receivedAtMs,
  };
  const windows = [...known.windows, window].slice(-WINDOWS_MAX);
  const newest = windows.slice(-CONTRADICTIONS_MAX);
  const agreed = offsetAt({ ...known, windows }, receivedAtMs);
  const contradicts = (each: Window) => agreed === null || intersection(each, agreed) === null;
  const stepped = newest.length === CONTRADICTIONS_MAX && newest.every(contradicts);
  return stepped && windows.length > CONTRADICTIONS_MAX
    ? { windows: newest, steps: known.steps + 1 }
    : { ...known, windows };
}

/**
 * The offset (service minus probe) at that time: the stretch on which most submissions agree.
 * null before the first one, and when no more than half of them agree on anything.
 */
export function offsetAt({ windows }: OffsetKnowledge, nowMs: number): Interval | null {
  const widened = windows.map((each) => {
    const driftMs = Math.abs(nowMs - each.atMs) * DRIFT_SHARE;
    return { lowMs: each.lowMs - driftMs, highMs: each.highMs + driftMs };
  });
  const best = mostAgreed(widened);
  return best !== null && best.agreeing * 2 > windows.length ? best.stretch : null;
}

/** The stretch that most intervals cover; the earliest of several. */
function mostAgreed(intervals: readonly Interval[]) {
  const lows = intervals.map(({ lowMs }) => lowMs).sort((a, b) => a - b);
  const highs = intervals.map(({ highMs }) => highMs).sort((a, b) => a - b);
  let closed = 0;
  let best: { agreeing: number; stretch: Interval } | null = null;
  lows.forEach((lowMs, opened) => {
    while ((highs[closed] ?? Number.POSITIVE_INFINITY) < lowMs) closed += 1;
    const agreeing = opened + 1 - closed;
    const stretch = { lowMs, highMs: highs[closed] ?? lowMs };
    if (best === null || agreeing > best.agreeing) best = { agreeing, stretch };
  });
  return best as { agreeing: number; stretch: Interval } | null;
}
