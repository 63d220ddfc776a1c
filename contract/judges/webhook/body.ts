/** webhook.body: the documented fields of a completed job's delivery. Spec §6. */

import { nestsTooDeep } from "../../answers/nesting.ts";
import type { Accepted } from "../../decode/accepted.ts";
import { decodeAccepted } from "../../decode/accepted.ts";
import type { Decoded } from "../../decode/decoded.ts";
import { isEmpty, isObject } from "../../decode/decoded.ts";
import { jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Delivery } from "../../jobs/delivery.ts";
import type { Claim } from "../../judging/claim.ts";
import { jsonBody } from "../../requests/exchange.ts";
import type { ParsedTimestamp, Timestamp } from "../../time/timestamps.ts";
import { parseTimestamp, precisionMs, writtenMs } from "../../time/timestamps.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { toldClaim } from "./told.ts";

const COPIED =
  "fired_at is when the job was submitted or started, as in each delivery that could show it";
const UNREAD = "no delivery of a completed job has a body that could be read whole";

export function bodyClaim(run: WebhookTimeline): Claim {
  const told = run.attempts.filter(({ each }) => each.end === "completed");
  const read = told.filter(({ delivery }) => isReadable(delivery));
  const objectParts = new Set(
    read.filter((one) => showsObject(shownEnd(one))).map(({ each }) => each.part),
  );
  const copies = copiedTimes(read);
  return toldClaim({
    promise: "webhook.body",
    told: read,
    lieOf: (one) => {
      const { submission } = one.each;
      const accepted = decodeAccepted(jsonBody(submission));
      const submitted = { sentAtMs: submission.sentAtMs, accepted };
      const fired = () => firedProblem(one.body, one.delivery, submitted);
      const copied = () => (copies.has(one) ? COPIED : null);
      return bodyProblem(one.body) ?? fired() ?? copied() ?? resultProblem(one, objectParts);
    },
    agrees: "deliveries have the documented fields",
    without: told.length > 0 ? UNREAD : "no completed job was delivered",
  });
}

/** Whether its body came whole and can be read. */
export function isReadable({ truncated, body }: Delivery): boolean {
  return !truncated && !nestsTooDeep(body);
}

/** The first field beside the result that is not as documented; null when all are. */
export function bodyProblem(body: unknown): string | null {
  if (!isObject(body)) return "the body is not a JSON object";
  for (const name of ["event", "job_uuid", "status"]) {
    const value = body[name];
    if (typeof value !== "string" || value === "") return `${name} is not a string`;
  }
  return firedIn(body) === null ? "fired_at is not an ISO 8601 UTC time" : null;
}

function firedIn(body: unknown): Timestamp | null {
  return isObject(body) ? parseTimestamp(body.fired_at) : null;
}

/**
 * An object is due where the job endpoint shows one; null where it came. How a list or nothing
 * becomes a result is open, but that is no text or number. Spec §2.6, §6.
 */
export function missingResult(body: unknown, job: Job): string | null {
  const result = resultOf(body);
  const isDue = showsObject(job) || isScalar(result);
  return isDue && !isObject(result) ? NO_OBJECT : null;
}

function isScalar(result: unknown): boolean {
  return !isEmpty(result) && typeof result !== "object";
}

const NO_OBJECT = "result is not an object";

/**
 * Of a job that the job endpoint did not show, an object is due where it showed one of others of
 * that part.
 */
function resultProblem(one: Attempt, objectParts: ReadonlySet<string>): string | null {
  const { each, body } = one;
  const result = resultOf(body);
  const shown = shownEnd(one);
  if (shown !== null) return missingResult(body, shown);
  const isDue = isScalar(result) || objectParts.has(each.part);
  return isDue && !isObject(result) ? NO_OBJECT : null;
}

function resultOf(body: unknown): unknown {
  return isObject(body) ? body.result : null;
}

function showsObject(shown: Job | null): boolean {
  return shown !== null && isObject(shown.result) && !isEmpty(shown.result);
}

function shownEnd({ each }: Attempt): Job | null {
  return each.endedJob ?? jobIn(each.endPoll);
}

/** Ours: many times what machines differ by, and what a clock moves by that is set. */
const ROOM_MS = 60_000;

/**
 * Null where it fits what the submission is dated by either clock, or where the service's is so far
 * from ours that none can be said.
 */
export function firedProblem(
  body: unknown,
  { arrivedAtMs }: Delivery,
  { sentAtMs, accepted }: { sentAtMs: number; accepted: Decoded<Accepted> | null },
): string | null {
  const createdAt = accepted?.value?.createdAt ?? null;
  const firedAt = firedIn(body);
  if (firedAt === null || createdAt === null) return null;
  if (Math.abs(createdAt.ms - sentAtMs) > ROOM_MS / 2) return null;
  const early = sentAtMs - firedAt.ms - precisionMs(firedAt);
  const late = firedAt.ms - arrivedAtMs;
  if (Math.max(early, late) <= ROOM_MS) return null;
  const seconds = Math.round(Math.max(early, late) / 1_000);
  return early > late
    ? `fired_at (${firedAt.text}) is ${seconds} s before the submission`
    : `fired_at (${firedAt.text}) is ${seconds} s after the arrival`;
}

/** Ours: of so many jobs no two times are the same by chance. */
const JOBS_MIN = 3;
/** Ours: where a job has ended this soon after, one look at a clock may date both. */
const APART_MS = 100;

interface Dated {
  one: Attempt;
  isCopy: boolean;
}

/**
 * Deliveries that are dated by the submission or the start of their job, by the same service's own
 * times: each is the same to the millisecond, so that no clocks explain it. None, unless each
 * delivery whose job tells its times is dated so.
 */
function copiedTimes(told: readonly Attempt[]): ReadonlySet<Attempt> {
  const dated = told.flatMap((one) => datedBy(one) ?? []);
  const jobs = new Set(dated.map(({ one }) => one.each));
  const areCopies = jobs.size >= JOBS_MIN && dated.every(({ isCopy }) => isCopy);
  return new Set(areCopies ? dated.map(({ one }) => one) : []);
}

/** Null where a time is not told to the millisecond, or the job ended at once. */
function datedBy(one: Attempt): Dated | null {
  const { each, body } = one;
  const fired = firedIn(body);
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
