/**
 * Local times that are called UTC. By themselves they are as right as those of a clock that is
 * wrong; beside the `Date` of the same responses they are a time zone off. Spec §2.4, §2.5.
 */

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

/** None unless the times of all submissions are off by the same. */
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
