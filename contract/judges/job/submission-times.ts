/** Times of submissions that are no such times, though they are well formed. Spec §2.4, §2.5. */

import type { Seen } from "../../judging/claim.ts";
import { parseHttpDate } from "../../retry-after.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../timestamps.ts";
import type { JobReading } from "./reading.ts";

/** Ours: what is so far off the observer's clock may be the wrong one of the two. */
const DATE_OFF_MS_MAX = 60_000;
/** What zones are apart by. */
const QUARTER_MS = 15 * 60_000;
/** `Date` has whole seconds. RFC 9110 §5.6.7. */
const DATE_STEP_MS = 1_000;
/** Ours: as many that are off by the same are no chance. */
const JOBS_MIN = 3;

/**
 * Local times that are called UTC. By themselves they are as right as those of a clock that is
 * wrong; beside the `Date` of the same responses they are a time zone off. None unless the times of
 * all submissions are off by the same.
 */
export function localTimes(readings: readonly JobReading[]): readonly Seen[] {
  const told = readings.flatMap(comparedOf);
  const [first] = told;
  if (first === undefined || first.zoneMs === 0 || told.length < JOBS_MIN) return [];
  if (told.some(({ zoneMs, isExact }) => !isExact || zoneMs !== first.zoneMs)) return [];
  const hours = first.zoneMs / 3_600_000;
  const what =
    `the submission (${first.text}) is ${hours} h off the Date of its response (${first.date}), ` +
    `as are those of all ${told.length} jobs; expected UTC`;
  return [{ what, exchanges: told.slice(0, 2).map(({ exchange }) => exchange) }];
}

/** A submission's time beside the `Date` of its response, where that is right. */
function comparedOf({ accepted, history: { submission: exchange } }: JobReading) {
  const createdAt = accepted?.value?.createdAt ?? null;
  const { sentAtMs, receivedAtMs, headers } = exchange;
  const { date = "" } = headers;
  const dateMs = parseHttpDate(date, receivedAtMs);
  if (createdAt === null || dateMs === null) return [];
  if (Math.abs(dateMs - receivedAtMs) > DATE_OFF_MS_MAX) return [];
  const aheadMs = createdAt.ms - dateMs;
  const zoneMs = Math.round(aheadMs / QUARTER_MS) * QUARTER_MS;
  const slackMs =
    receivedAtMs - sentAtMs + DATE_STEP_MS + MACHINES_DIFFER_MS + precisionMs(createdAt);
  const isExact = Math.abs(aheadMs - zoneMs) <= slackMs;
  return [{ exchange, date, text: createdAt.text, zoneMs, isExact }];
}

/** Ours: however coarse times are told, and late jobs are stored, they differ by then. */
const APART_MS = 30_000;

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
  if (apartMs <= APART_MS + precisionMs(createdAt)) return [];
  const what =
    `${jobs} jobs tell of the submission time ${createdAt.text}, and were submitted over ` +
    `${Math.round(apartMs / 1_000)} s; expected the time of each`;
  return [{ what, exchanges }];
}
