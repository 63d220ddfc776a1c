/** webhook.truthful: identifier, status, cost and files of a delivery are the job's. Spec §6. */

import { SUM_ERROR } from "../../balance/changes.ts";
import type { JsonObject } from "../../decode/decoded.ts";
import { isEmpty, isObject } from "../../decode/decoded.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Claim } from "../../judging/claim.ts";
import { decimalsOf } from "../../numbers/decimals.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import { parseTimestamp, precisionMs } from "../../time/timestamps.ts";
import { isSameJson } from "../job/same-json.ts";
import { namedJob } from "./attempts.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { toldClaim } from "./told.ts";

export function truthfulClaim(run: WebhookTimeline): Claim {
  const unaskedIds = new Set(run.unasked.map(({ jobId }) => jobId));
  const isOwn = ({ delivery }: Attempt) => !unaskedIds.has(namedJob(delivery) ?? "");
  return toldClaim({
    promise: "webhook.truthful",
    told: run.attempts.filter((one) => one.each.jobId !== null && one.body && isOwn(one)),
    lieOf: (one) => {
      const { each, delivery, body } = one;
      const first = each.attempts.find((attempt) => isObject(attempt.body));
      const told = { delivery, body, job: each.endedJob };
      return lieOf(each.jobId, told) ?? changeFrom(first?.body, body);
    },
    isClear: ({ each }) => each.endedJob !== null,
    agrees: "deliveries agree with the job endpoint",
    without: "no delivery with a JSON body arrived",
  });
}

/**
 * Where a delivery contradicts what was submitted, what is read, or its own head; fields it lacks
 * are another judge's.
 */
export function lieOf(
  jobId: string | null,
  { delivery, body, job }: Pick<Attempt, "delivery" | "body"> & { job: Job | null },
): string | null {
  const named = namedJob(delivery);
  if (named !== null && named !== jobId) return `names ${named}, expected ${jobId}`;
  const fields = isObject(body) ? body : {};
  const other = otherIdIn(fields, job);
  if (other !== null && other !== jobId) return `its job_id is ${other}, expected ${jobId}`;
  const stated = terminalIn(fields.status);
  const end = job?.state ?? null;
  if (stated !== null && end !== null && stated !== end) {
    return `says ${String(fields.status)}, the job endpoint says ${end}`;
  }
  if (end === "completed" && isOtherWord(fields.status)) {
    return `says ${String(fields.status)}, which is no status, the job endpoint says ${end}`;
  }
  if (isOpenAfterEnd(fields, job)) {
    return `says ${String(fields.status)}, and was fired after the job's end`;
  }
  const part = otherCost(fields, job) ?? otherFiles(fields, job);
  if (part !== null) return part;
  const event = terminalIn(fields.event);
  // Which event tells of the other ends is open, and one may tell of several. Spec §6.
  if (end === "completed" && event !== null && event !== end) {
    return `its event is ${String(fields.event)}, the job endpoint says ${end}`;
  }
  if (event === null) return null;
  const headed = Object.entries(delivery.headers).find(([name, value]) => {
    const isOfEvent = name.includes("event") || name.includes("topic");
    const state = isOfEvent ? terminalIn(value) : null;
    return state !== null && state !== event;
  });
  if (headed === undefined) return null;
  return `its header ${headed[0]} says ${headed[1]}, its body says ${String(fields.event)}`;
}

/** Of the job object within, which has one of its own in variant B. Spec §2.5, §6. */
function otherIdIn({ job_id: id }: JsonObject, job: Job | null): string | null {
  return job?.variant === "B" && typeof id === "string" && id !== job.id ? id : null;
}

/**
 * A cost that the ended job does not have, by more than one of them may be rounded: the body is the
 * job object, so amounts of as many decimals are the same. What is not charged yet, or not told,
 * contradicts nothing; but a timeout is charged nothing. Spec §1.4, §6.
 */
function otherCost(fields: JsonObject, job: Job | null): string | null {
  if (job === null || !isTerminal(job.state)) return null;
  const parts = isObject(fields.cost) ? fields.cost : {};
  const [told, own] =
    job.variant === "A"
      ? [fields.cost_credits, job.cost.credits]
      : [parts.total_usd, job.cost.totalUsd];
  if (typeof told !== "number" || own === null || !(told > 0)) return null;
  const isOwed = own > 0 || (own === 0 && job.state === "timeout");
  const shown = own > 0 ? decimalsOf(own) : Number.POSITIVE_INFINITY;
  const step = Math.max(2 * SUM_ERROR, 10 ** -Math.min(decimalsOf(told), shown));
  if (!isOwed || Math.abs(told - own) <= step - SUM_ERROR) return null;
  const unit = job.variant === "A" ? "credits" : "USD";
  return `its cost is ${told} ${unit}, the job endpoint says ${own}`;
}

/** None of the files that the completed job has, though the body tells of files. Spec §2.7, §6. */
function otherFiles({ files: told }: JsonObject, job: Job | null): string | null {
  if (!Array.isArray(told) || told.length > 0 || job?.state !== "completed") return null;
  const count = job.files?.length ?? 0;
  return count === 0 ? null : `it tells no files, the job endpoint shows ${count}`;
}

/** Neither dialect has it; what webhooks of the other ends say is open. Spec §3.1, §6. */
function isOtherWord(status: unknown): boolean {
  return typeof status === "string" && status !== "" && parseStatus(status) === null;
}

/** By the service's own times: what was fired before the end is another judge's. */
function isOpenAfterEnd({ status, fired_at }: JsonObject, job: Job | null): boolean {
  const state = parseStatus(status)?.state ?? null;
  const firedAt = parseTimestamp(fired_at);
  if (state === null || isTerminal(state) || firedAt === null || !job?.finishedAt) return false;
  return firedAt.ms >= job.finishedAt.ms;
}

/** The terminal state that a status or the last part of an event's name tells of. */
function terminalIn(value: unknown): Job["state"] {
  if (typeof value !== "string") return null;
  const word = lastWord(value);
  const known = parseStatus(value) ?? parseStatus(word) ?? parseStatus(word.toUpperCase());
  return isTerminal(known?.state) ? known.state : null;
}

function lastWord(text: string): string {
  return text.slice(Math.max(...[".", ":", "/"].map((sign) => text.lastIndexOf(sign))) + 1);
}

/** What an ended job can't come to say differently; costs may settle, addresses are signed anew. */
const SETTLED = [
  ...["event", "status", "job_uuid", "job_id", "worker", "worker_id"],
  ...["created_at", "completed_at", "duration_ms", "timestamps", "error"],
];

/** What is known of these by name: whatever else is told within may move on. Spec §2.5. */
const MEMBERS = [
  ...["submitted_at", "started_at", "finished_at", "duration_ms"],
  ...["code", "message"],
];

/** What only one of them has contradicts nothing, nor does a time that is told more finely. */
function contradicts(a: unknown, b: unknown): boolean {
  if (isEmpty(a) || isEmpty(b)) return false;
  if (!isObject(a) || !isObject(b)) return !isSameJson(a, b) && !isSameTime(a, b);
  return MEMBERS.some((name) => contradicts(a[name], b[name]));
}

function isSameTime(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map(parseTimestamp);
  if (!one || !other) return false;
  return Math.abs(one.ms - other.ms) < Math.max(precisionMs(one), precisionMs(other));
}

/** Where the body of a delivery contradicts that of the first one of the same job. */
export function changeFrom(first: unknown, body: unknown): string | null {
  if (!isObject(first) || !isObject(body)) return null;
  const name = SETTLED.find((field) => contradicts(first[field], body[field]));
  return name === undefined ? null : `its ${name} differs from the first attempt's`;
}
