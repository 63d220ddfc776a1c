/** webhook.result: the result in a completed job's delivery is the job's. Spec §2.5, §2.6, §6. */

import { isEmpty, isObject } from "../../decode/decoded.ts";
import type { Job } from "../../decode/job-types.ts";
import { marksWithin } from "../../jobs/marks.ts";
import type { Claim } from "../../judging/claim.ts";
import { differenceOf, isSameJson } from "../job/same-json.ts";
import type { WebhookTimeline } from "./timeline.ts";
import { toldClaim } from "./told.ts";

export function resultClaim(run: WebhookTimeline): Claim {
  const owners = ownersOfMarks(run.attempts);
  return toldClaim({
    promise: "webhook.result",
    told: run.attempts.filter(({ each, body }) => {
      const isResult = isObject(body) && (isObject(body.result) || Array.isArray(body.result));
      return each.end === "completed" && isResult;
    }),
    lieOf: ({ body, each: { endedJob: job, jobId } }) => {
      const lie = job?.state === "completed" ? resultLie(body, job) : null;
      return lie === null ? null : (mixedUp(body, jobId, owners) ?? lie);
    },
    isClear: ({ each }) => each.endedJob !== null,
    agrees: "deliveries have the result that the job endpoint shows",
    without: "no delivery with the result of a completed job arrived",
  });
}

/** Whose results hold which marks, as the job endpoint shows them. */
function ownersOfMarks(attempts: WebhookTimeline["attempts"]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { each } of attempts) {
    const { endedJob, jobId } = each;
    if (endedJob === null || jobId === null) continue;
    for (const mark of marksWithin([endedJob.result, endedJob.output])) owners.set(mark, jobId);
  }
  return owners;
}

/** Of a result that is not the job's: where it is that of another job of the run. */
function mixedUp(
  body: unknown,
  jobId: string | null,
  owners: ReadonlyMap<string, string>,
): string | null {
  if (!isObject(body)) return null;
  const marks = marksWithin([body.result, body.output]);
  const mark = marks.find((each) => owners.has(each) && owners.get(each) !== jobId);
  return mark === undefined ? null : `its result is that of ${owners.get(mark)}, with "${mark}"`;
}

/**
 * Where the body of a completed job's webhook has another result than the job endpoint; null where
 * it has the same or none. How variant B's output becomes a result is open: as it stands, its data
 * or items alone, or either within an object.
 */
export function resultLie(body: unknown, job: Job): string | null {
  if (!isObject(body)) return null;
  const { result, output } = body;
  if (isObject(output) && job.output !== null) {
    const { output: own } = job;
    // What a worker says about its run beside it is no part of the result.
    const other = (["kind", "data", "items"] as const).find((name) => {
      return !isAlike(output[name], own[name]);
    });
    if (other !== undefined) return differs("output", { [other]: output[other] }, [own]);
  }
  if (!(isObject(result) || Array.isArray(result))) return null;
  if (isEmpty(job.result)) return markBeside(result, job);
  // A list has no object to show, and stands in the output as it is. Spec §2.6, §6.
  if (isEmpty(result) && Array.isArray(job.result)) return null;
  return isResultOf(result, job) ? null : differs("result", result, [job.result, job.output]);
}

/** Of a job without a result, a webhook may tell what its worker says beside it, but no mark. */
function markBeside(result: unknown, job: Job): string | null {
  const shown = marksWithin(job.raw);
  const mark = marksWithin(result).find((each) => !shown.includes(each));
  if (mark === undefined) return null;
  return `its result holds "${mark}", and the job endpoint shows none`;
}

/** `shown`: what it may be held against; the first of the same shape says where it differs. */
function differs(name: string, value: unknown, shown: readonly unknown[]): string {
  const [where] = shown.flatMap((each) => differenceOf(value, each) ?? []);
  return `its ${name} differs from the job endpoint's${where === undefined ? "" : `: ${where}`}`;
}

function isResultOf(result: object, job: Job): boolean {
  if (isAlike(result, job.result)) return true;
  if (job.output === null || !isObject(result)) return false;
  const { output } = job;
  const isPart = Object.entries(result).every(([name, value]) => {
    const isOpen = name === "meta" || !Object.hasOwn(output, name) || isEmpty(value);
    return isOpen || isAlike(value, output[name]);
  });
  return (
    isPart &&
    Object.values(result).some((value) => {
      return [job.result, output].some((whole) => isAlike(value, whole));
    })
  );
}

/** A member without a value is as good as none, however it is written. Spec §2.6. */
function isAlike(a: unknown, b: unknown): boolean {
  if (isEmpty(a) && isEmpty(b)) return true;
  return isSameJson(a, b) || isSameJson(withoutNulls(a), withoutNulls(b));
}

function withoutNulls(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value, (_, each: unknown) => (each === null ? undefined : each));
  return JSON.parse(text);
}
