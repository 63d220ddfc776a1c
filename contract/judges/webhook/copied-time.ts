/**
 * Deliveries that are dated by the submission or the start of their job, by the same service's own
 * times: each is the same to the millisecond, so that no clocks explain it. Spec §6.
 */

import { decodeAccepted } from "../../decode/accepted.ts";
import { isObject } from "../../decode/decoded.ts";
import { jobIn } from "../../decode/job.ts";
import { jsonBody } from "../../requests/exchange.ts";
import type { ParsedTimestamp } from "../../time/timestamps.ts";
import { parseTimestamp, writtenMs } from "../../time/timestamps.ts";
import type { Attempt } from "./timeline.ts";

/** Ours: of so many jobs no two times are the same by chance. */
const JOBS_MIN = 3;
/** Ours: where a job has ended this soon after, one look at a clock may date both. */
const APART_MS = 100;

interface Dated {
  one: Attempt;
  isCopy: boolean;
}

/** None, unless each delivery whose job tells its times is dated so. */
export function copiedTimes(told: readonly Attempt[]): ReadonlySet<Attempt> {
  const dated = told.flatMap((one) => datedBy(one) ?? []);
  const jobs = new Set(dated.map(({ one }) => one.each));
  const areCopies = jobs.size >= JOBS_MIN && dated.every(({ isCopy }) => isCopy);
  return new Set(areCopies ? dated.map(({ one }) => one) : []);
}

/** Null where a time is not told to the millisecond, or the job ended at once. */
function datedBy(one: Attempt): Dated | null {
  const { each, body } = one;
  const stated = isObject(body) ? body.fired_at : null;
  const fired = typeof stated === "string" ? parseTimestamp(stated) : null;
  const job = each.endedJob ?? jobIn(each.endPoll);
  const finished = job?.finishedAt ?? null;
  if (job === null || finished === null || fired === null || !isFine(fired)) return null;
  const accepted = decodeAccepted(jsonBody(each.submission)).value;
  const times = [accepted?.createdAt ?? null, job.createdAt, job.startedAt];
  const earlier = times.filter((time) => time !== null && finished.ms - time.ms > APART_MS);
  if (earlier.length === 0) return null;
  return { one, isCopy: earlier.some((time) => time?.ms === fired.ms) };
}

function isFine(time: ParsedTimestamp): boolean {
  return writtenMs(time) <= 1 && time.ms % 1_000 !== 0;
}
