/**
 * How far the service's clock is ahead of the observer's, from jobs' submission times. Spec §2.4.
 */

import { agreedBy } from "../../timeline/clock-offset.ts";
import type { Interval } from "../../timeline/interval.ts";
import { stamped } from "../../timeline/observation.ts";
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
  return agreedBy(readings.flatMap((reading) => windowOf(reading) ?? []))?.highMs ?? null;
}

function windowOf(reading: JobReading): Interval | null {
  const seen = reading.polls.find((poll) => poll.job?.createdAt)?.job?.createdAt;
  const created = stamped(reading.accepted?.value?.createdAt ?? seen ?? null);
  if (created === null) return null;
  const { sentAtMs, receivedAtMs } = reading.history.submission;
  return { lowMs: created.lowMs - receivedAtMs, highMs: created.highMs - sentAtMs };
}
