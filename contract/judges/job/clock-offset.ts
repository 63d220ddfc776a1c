/**
 * How far the service's clock is ahead of the observer's, from jobs' submission times. Spec §2.4.
 */

import type { Range } from "../../judging/range.ts";
import { precisionMs } from "../../timestamps.ts";
import type { JobReading } from "./reading.ts";

/**
 * The greatest offset (service minus observer, ms) that agrees with the submission times: each was
 * written between the sending of its POST and the receipt of the answer. More than half of the
 * jobs must agree on an offset, so that a wrong time here and there does not decide; null if not.
 */
export function offsetAtMostMs(readings: readonly JobReading[]): number | null {
  const known = OFFSETS.get(readings);
  if (known !== undefined) return known;
  const offset = newOffset(readings);
  OFFSETS.set(readings, offset);
  return offset;
}

/** Several judges ask for the offset of the same jobs. */
const OFFSETS = new WeakMap<readonly JobReading[], number | null>();

function newOffset(readings: readonly JobReading[]): number | null {
  const windows = readings.flatMap((reading) => windowOf(reading) ?? []);
  let best: { agreeing: number; high: number } | null = null;
  for (const { agreeing, high } of overlaps(windows)) {
    if (best === null || agreeing > best.agreeing) best = { agreeing, high };
  }
  return best !== null && best.agreeing * 2 > windows.length ? best.high : null;
}

function windowOf(reading: JobReading): Range | null {
  const seen = reading.polls.find((poll) => poll.job?.createdAt)?.job?.createdAt;
  const createdAt = reading.accepted?.value?.createdAt ?? seen ?? null;
  if (createdAt === null) return null;
  const { sentAtMs, receivedAtMs } = reading.history.submission;
  return {
    low: createdAt.ms - receivedAtMs,
    high: createdAt.ms + precisionMs(createdAt) - sentAtMs,
  };
}

/** For each stretch that begins with a window's low end: how many windows cover it, and its end. */
function overlaps(windows: readonly Range[]): readonly { agreeing: number; high: number }[] {
  const lows = windows.map((each) => each.low).sort((a, b) => a - b);
  const highs = windows.map((each) => each.high).sort((a, b) => a - b);
  let closed = 0;
  return lows.map((low, opened) => {
    while ((highs[closed] ?? Number.POSITIVE_INFINITY) < low) closed += 1;
    return { agreeing: opened + 1 - closed, high: highs[closed] ?? low };
  });
}
