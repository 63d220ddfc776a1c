/** A time of submission that is none, though it is well formed. Spec §2.4, §2.5. */

import type { Seen } from "../../judging/claim.ts";
import { medianOf } from "../../numbers/figures.ts";
import { groupsOf } from "../../time/spans.ts";
import type { Timestamp } from "../../time/timestamps.ts";
import { precisionMs } from "../../time/timestamps.ts";
import type { JobReading } from "./reading.ts";

/** Ours: as many that share one are no chance. */
const JOBS_MIN = 3;

/** Ours: however late jobs are stored, times differ by then; and such as are cut to minutes. */
const APART_MS = { whole: 30_000, cut: 61_000 };
const MINUTE_MS = 60_000;

/** Ours: a clock that is set twice is off before and after. */
const ROWS_MIN = 3;

/**
 * Times that are further off than those of most jobs, again and again with others in between: a
 * machine's clock is wrong. The clock of all may be off by any time, be set, and go too fast: then
 * those of one time after the other differ.
 */
export function strayTimes(readings: readonly JobReading[]): readonly Seen[] {
  const placed = readings.flatMap(placedOf).sort((a, b) => a.sentAtMs - b.sentAtMs);
  const usualMs = medianOf(placed.map(({ aheadMs }) => aheadMs));
  const isStray = ({ aheadMs, roomMs }: Placed) => Math.abs(aheadMs - usualMs) > roomMs;
  const strays = placed.filter(isStray);
  const rows = groupsOf(placed, (next, before) => isStray(next) !== isStray(before));
  const inARow = rows.filter((row) => row.every(isStray));
  const [first, last] = [strays[0], strays.at(-1)];
  if (first === undefined || last === undefined || inARow.length < ROWS_MIN) return [];
  const offS = Math.round(Math.abs(first.aheadMs - usualMs) / 1_000);
  const what =
    `${strays.length} of ${placed.length} jobs tell of a submission time that is off by ` +
    `${offS} s, such as ${first.text}, and jobs in between do not`;
  return [{ what, exchanges: [first.submission, last.submission] }];
}

type Placed = ReturnType<typeof placedOf>[number];

function placedOf({ accepted, history: { submission } }: JobReading) {
  const createdAt = accepted?.value?.createdAt ?? null;
  if (createdAt === null) return [];
  const { sentAtMs, receivedAtMs } = submission;
  const aheadMs = createdAt.ms - sentAtMs;
  const roomMs = leastApartMs(createdAt) + receivedAtMs - sentAtMs;
  return [{ submission, sentAtMs, aheadMs, roomMs, text: createdAt.text }];
}

/** A time that is told of several jobs which were submitted one after the other. */
export function sharedTimes(readings: readonly JobReading[]): readonly Seen[] {
  const byText = new Map<string, JobReading[]>();
  for (const reading of readings) {
    const { text } = reading.accepted?.value?.createdAt ?? {};
    if (text === undefined) continue;
    const sharing = byText.get(text) ?? [];
    byText.set(text, sharing);
    sharing.push(reading);
  }
  return [...byText.values()].flatMap(sharedTime);
}

function sharedTime(sharing: readonly JobReading[]): readonly Seen[] {
  const createdAt = sharing[0]?.accepted?.value?.createdAt ?? null;
  const jobs = new Set(sharing.map(({ history }) => history.issuedId)).size;
  if (createdAt === null || jobs < JOBS_MIN) return [];
  const sent = sharing
    .map(({ history }) => history.submission)
    .sort((a, b) => a.sentAtMs - b.sentAtMs);
  const exchanges = [...sent.slice(0, 1), ...sent.slice(-1)];
  const apartMs = (exchanges[1]?.sentAtMs ?? 0) - (exchanges[0]?.receivedAtMs ?? 0);
  if (apartMs <= leastApartMs(createdAt)) return [];
  const what =
    `${jobs} jobs tell of the submission time ${createdAt.text}, and were submitted over ` +
    `${Math.round(apartMs / 1_000)} s; expected the time of each`;
  return [{ what, exchanges }];
}

function leastApartMs(createdAt: Timestamp): number {
  const leastMs = createdAt.ms % MINUTE_MS === 0 ? APART_MS.cut : APART_MS.whole;
  return leastMs + precisionMs(createdAt);
}
