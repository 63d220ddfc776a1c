/**
 * How far the service's clock is ahead of the probe's: the intersection of what each submission
 * allows, as its timestamp was written between the sending of the POST and the receipt of the
 * answer.
 */

import type { Interval } from "./interval.ts";
import { difference, intersection, widthMs } from "./interval.ts";

/** Service minus probe, at that time of the probe's. */
export interface Offset extends Interval {
  atMs: number;
}

/** What was learnt of the offset so far; newest last. */
export interface OffsetKnowledge {
  readonly windows: readonly Offset[];
  /** Times that the newest submissions contradicted the older ones: a clock was set. */
  readonly steps: number;
}

export const NOTHING_KNOWN: OffsetKnowledge = { windows: [], steps: 0 };

/** Ours: some ten minutes of canaries; what is older says little of a drifting clock. */
const WINDOWS_MAX = 64;
/** Ours: quartz clocks drift apart by less, so that a window widens by this share of its age. */
const DRIFT_SHARE = 200e-6;
/** Ours: a clock that is set jumps by more, or what is wrong by it is within an answer's time. */
const STEP_MS = 1_000;
/** Ours: one contradiction may be one wrong timestamp, this many are a clock that was set. */
const CONTRADICTIONS_MAX = 3;

/** Adds a submission: `createdMs` on the service's clock, the window on the probe's. */
export function learnOffset(
  known: OffsetKnowledge,
  createdMs: Interval,
  { sentAtMs, receivedAtMs }: { sentAtMs: number; receivedAtMs: number },
): OffsetKnowledge {
  const driftMs = (receivedAtMs - sentAtMs) * DRIFT_SHARE;
  const window = {
    lowMs: createdMs.lowMs - receivedAtMs - driftMs,
    highMs: createdMs.highMs - sentAtMs + driftMs,
    atMs: receivedAtMs,
  };
  const windows = [...known.windows, window].slice(-WINDOWS_MAX);
  const newest = windows.slice(-CONTRADICTIONS_MAX);
  const agreed = offsetAt({ ...known, windows }, receivedAtMs);
  const contradicts = (each: Offset) => agreed === null || intersection(each, agreed) === null;
  const stepped = newest.length === CONTRADICTIONS_MAX && newest.every(contradicts);
  return stepped && windows.length > CONTRADICTIONS_MAX
    ? { windows: newest, steps: known.steps + 1 }
    : { ...known, windows };
}

/**
 * The offset at that time: the stretch on which most submissions agree. null before the first one,
 * when no more than half of them agree on anything. With `sinceMs`, the submission of the job whose
 * times are to be placed, also when a later one does not agree, or none confirms it closely enough:
 * then one of the clocks may have been set since.
 */
export function offsetAt(
  { windows }: OffsetKnowledge,
  nowMs: number,
  sinceMs?: number,
): Offset | null {
  const widened = windows.map((each) => ({ ...widenedTo(each, nowMs), atMs: each.atMs }));
  const best = mostAgreed(widened);
  if (best === null || best.agreeing * 2 <= windows.length) return null;
  const { stretch } = best;
  const since = widened.filter((each) => sinceMs !== undefined && each.atMs >= sinceMs);
  const isDoubted = since.some((each) => intersection(each, stretch) === null);
  const narrowest = Math.min(...since.map(widthMs));
  const isConfirmed = sinceMs === undefined || narrowest + widthMs(stretch) <= STEP_MS;
  return isDoubted || !isConfirmed ? null : { ...stretch, atMs: nowMs };
}

/** How long it was between two times of the service's, on the probe's clock. */
export function elapsed(later: Interval, earlier: Interval): Interval {
  const { lowMs, highMs } = difference(later, earlier);
  return { lowMs: lowMs * (1 - DRIFT_SHARE), highMs: highMs * (1 + DRIFT_SHARE) };
}

/** A time of the service's on the probe's clock. */
export function placed(stated: Interval, offset: Offset): Interval {
  const { lowMs, highMs } = widenedTo(offset, stated.lowMs - offset.lowMs);
  return { lowMs: stated.lowMs - highMs, highMs: stated.highMs - lowMs };
}

/** What is known of the offset at one time, said of another. */
function widenedTo({ lowMs, highMs, atMs }: Offset, nowMs: number): Interval {
  const driftMs = Math.abs(nowMs - atMs) * DRIFT_SHARE;
  return { lowMs: lowMs - driftMs, highMs: highMs + driftMs };
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
