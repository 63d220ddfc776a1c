/** What a delivery says of its job. Spec §6. */

import type { JsonObject } from "../../decode/decoded.ts";
import { isEmpty, isObject } from "../../decode/decoded.ts";
import type { Job } from "../../decode/job-types.ts";
import { counted } from "../../judging/claim.ts";
import type { PromiseId } from "../../promises.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import { parseTimestamp } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { isSameJson } from "../job/same-json.ts";
import { bodyOf, namedJob } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { resultLie } from "./result.ts";
import type { Lie, Told } from "./told.ts";
import { allTold, liesIn } from "./told.ts";
import { groundsOf, nameOf, strengthOf } from "./witness.ts";

export function judgeBody(run: WebhookRun): Finding {
  const promise = "webhook.body";
  const told = allTold(run).filter(({ each, delivery }) => {
    return each.expected === "completed" && !delivery.truncated;
  });
  if (told.length === 0) return unobserved(promise, "no completed job was delivered");
  const faulty = liesIn(told, bodyProblem);
  if (faulty.length > 0) return brokenBy(promise, told, faulty, "bodies");
  return kept(promise, `${told.length} deliveries have the documented fields`, {
    evidence: evidenceOf(told),
    strength: strengthIn(told),
  });
}

/** The first field that is not as documented; null when all are. */
function bodyProblem({ each, body, job }: Told): string | null {
  if (!isObject(body)) return "the body is no JSON object";
  for (const name of ["event", "job_uuid", "status"]) {
    const value = body[name];
    if (typeof value !== "string" || value === "") return `${name} is no text`;
  }
  const firedAt = body.fired_at;
  if (typeof firedAt !== "string" || parseTimestamp(firedAt) === null) {
    return "fired_at is no ISO 8601 UTC time";
  }
  // Of other parts an object is known to come out where the job endpoint shows one.
  const isDue = each.part === "success" || (isObject(job?.result) && !isEmpty(job?.result));
  return isDue && !isObject(body.result) ? "result is no object" : null;
}

export function judgeTruthful(run: WebhookRun): Finding {
  const unaskedIds = new Set(run.unasked.map(({ jobId }) => jobId));
  const isOwn = ({ delivery }: Told) => !unaskedIds.has(namedJob(delivery) ?? "");
  return judgeTold("webhook.truthful", {
    told: allTold(run).filter((one) => one.each.jobId !== null && one.body && isOwn(one)),
    lieOf: (one) => lieOf(one.each.jobId, one) ?? changeOf(one),
    without: "no delivery with a JSON body arrived",
    agrees: "deliveries agree with the job endpoint",
  });
}

export function judgeResult(run: WebhookRun): Finding {
  return judgeTold("webhook.result", {
    told: allTold(run).filter(({ each, body }) => {
      return (
        each.expected === "completed" &&
        isObject(body) &&
        (isObject(body.result) || Array.isArray(body.result))
      );
    }),
    lieOf: ({ body, job }) => (job?.state === "completed" ? resultLie(body, job) : null),
    without: "no delivery with the result of a completed job arrived",
    agrees: "deliveries have the result that the job endpoint shows",
  });
}

interface Telling {
  told: readonly Told[];
  lieOf: (one: Told) => string | null;
  without: string;
  agrees: string;
}

function judgeTold(promise: PromiseId, { told, lieOf, without, agrees }: Telling): Finding {
  if (told.length === 0) return unobserved(promise, without);
  const lies = liesIn(told, lieOf);
  if (lies.length > 0) return brokenBy(promise, told, lies, "deliveries");
  if (told.every(({ job }) => job === null)) {
    return inconclusive(promise, "no delivered job could be looked at in its end", {
      evidence: evidenceOf(told),
    });
  }
  const seen = told.filter(({ job }) => job !== null);
  return kept(promise, `${told.length} ${agrees}`, {
    evidence: evidenceOf(told),
    strength: strengthIn(seen),
  });
}

/** Of a completed job's body and result there is nothing to see in the other ends. */
function strengthIn(told: readonly Told[]) {
  const cases = told.map(({ each }) => each);
  const strength = strengthOf({ count: told.length, of: "deliveries" }, cases);
  return cases.every(({ expected }) => expected === "completed")
    ? { ...strength, notTried: [] }
    : strength;
}

function brokenBy(
  promise: PromiseId,
  told: readonly Told[],
  lies: readonly Lie[],
  what: string,
): Finding {
  const [first] = lies;
  const which = first === undefined ? "" : `${first.lie} (${nameOf(first.one)})`;
  const evidence = {
    ...evidenceOf(told),
    lies: [...new Set(lies.map(({ lie }) => lie))].slice(0, 5),
  };
  const shown = lies.map(({ one }) => one);
  const cases = shown.map(({ each }) => each);
  const exchanges = cases.flatMap(({ looks }) => looks.slice(-1));
  return broken(
    promise,
    `${lies.length} of ${told.length} ${what}: ${which}`,
    groundsOf(evidence, cases, { shown, exchanges }),
  );
}

function evidenceOf(told: readonly Told[]) {
  return {
    deliveries: told.length,
    ends: counted(told.map(({ each }) => each.expected)),
    workers: counted(told.map(({ each }) => each.part)),
  };
}

/**
 * Where a delivery contradicts what was submitted, what is read, or its own head; fields it lacks
 * are another judge's.
 */
export function lieOf(
  jobId: string | null,
  { delivery, body, job }: Omit<Told, "each">,
): string | null {
  const named = namedJob(delivery);
  if (named !== null && named !== jobId) return `is about ${named}, submitted as ${jobId}`;
  const fields = isObject(body) ? body : {};
  const stated = terminalIn(fields.status);
  const end = job?.state ?? null;
  if (stated !== null && end !== null && stated !== end) {
    return `says ${String(fields.status)}, the job endpoint says ${end}`;
  }
  if (isOpenAfterEnd(fields, job)) {
    return `says ${String(fields.status)}, and was fired after the job's end`;
  }
  const event = terminalIn(fields.event);
  // Which event tells of the other ends is open, and one may tell of several. Spec §6.
  if (end === "completed" && event !== null && event !== end) {
    return `its event is ${String(fields.event)}, the job endpoint says ${end}`;
  }
  const headed = Object.entries(delivery.headers).find(([name, value]) => {
    const state = EVENT_HEADER.test(name) ? terminalIn(value) : null;
    return state !== null && event !== null && state !== event;
  });
  if (headed === undefined) return null;
  return `its header ${headed[0]} says ${headed[1]}, its body says ${String(fields.event)}`;
}

/** By the service's own times: what was fired before the end is another judge's. */
function isOpenAfterEnd({ status, fired_at }: JsonObject, job: Job | null): boolean {
  const state = typeof status === "string" ? (parseStatus(status)?.state ?? null) : null;
  const firedAt = typeof fired_at === "string" ? parseTimestamp(fired_at) : null;
  if (state === null || isTerminal(state) || firedAt === null || !job?.finishedAt) return false;
  return firedAt.ms >= job.finishedAt.ms;
}

const EVENT_HEADER = /event|topic/;

/** The terminal state that a status or the last part of an event's name tells of. */
function terminalIn(value: unknown): Job["state"] {
  if (typeof value !== "string") return null;
  const words = [value, lastWord(value), lastWord(value).toUpperCase()];
  const state = words.map((word) => parseStatus(word)?.state).find((each) => each) ?? null;
  return state !== null && isTerminal(state) ? state : null;
}

function lastWord(text: string): string {
  return text.split(/[.:/]/).at(-1) ?? "";
}

/** What an ended job can't come to say differently; costs may settle, addresses are signed anew. */
const SETTLED = [
  ...["event", "status", "job_uuid", "job_id", "worker", "worker_id"],
  ...["created_at", "completed_at", "duration_ms", "timestamps", "error"],
];

/** What only one of them has contradicts nothing. */
function contradicts(a: unknown, b: unknown): boolean {
  if (isEmpty(a) || isEmpty(b)) return false;
  if (!isObject(a) || !isObject(b)) return !isSameJson(a, b);
  return Object.keys(a).some((name) => contradicts(a[name], b[name]));
}

/** Where it contradicts the first delivery of the same job. */
function changeOf({ each, body }: Told): string | null {
  const first = each.deliveries.map(bodyOf).find(isObject);
  if (first === undefined || !isObject(body)) return null;
  const name = SETTLED.find((field) => contradicts(first[field], body[field]));
  return name === undefined ? null : `its ${name} is another one than in the first attempt`;
}
