/** webhook.body: the documented fields of a completed job's delivery. Spec §6. */

import { isEmpty, isObject } from "../../decode/decoded.ts";
import { jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Claim } from "../../judging/claim.ts";
import { nestsTooDeep } from "../../nesting.ts";
import { parseTimestamp } from "../../timestamps.ts";
import type { WebhookRun } from "./case.ts";
import type { Told } from "./told.ts";
import { allTold, toldClaim } from "./told.ts";

const UNREAD = "no delivery of a completed job has a body that could be read whole";

export function bodyClaim(run: WebhookRun): Claim {
  const told = allTold(run).filter(({ each }) => each.expected === "completed");
  const read = told.filter(({ delivery }) => {
    return !delivery.truncated && !nestsTooDeep(delivery.body);
  });
  const objectParts = new Set(read.filter(showsObject).map(({ each }) => each.part));
  return toldClaim({
    promise: "webhook.body",
    told: read,
    lieOf: (one) => bodyProblem(one) ?? resultProblem(one, objectParts),
    agrees: "deliveries have the documented fields",
    without: told.length > 0 ? UNREAD : "no completed job was delivered",
  });
}

/** The first field beside the result that is not as documented; null when all are. */
function bodyProblem({ body }: Told): string | null {
  if (!isObject(body)) return "the body is not a JSON object";
  for (const name of ["event", "job_uuid", "status"]) {
    const value = body[name];
    if (typeof value !== "string" || value === "") return `${name} is not a string`;
  }
  const firedAt = body.fired_at;
  if (typeof firedAt !== "string" || parseTimestamp(firedAt) === null) {
    return "fired_at is not an ISO 8601 UTC time";
  }
  return null;
}

/**
 * An object is due where the job endpoint shows one; of a job that it did not show, where it does
 * of others of that part. How a list or nothing becomes a result is open. Spec §2.6.
 */
function resultProblem(one: Told, objectParts: ReadonlySet<string>): string | null {
  const { each, body } = one;
  const result = isObject(body) ? body.result : null;
  const isOther = each.part === "success" && !isEmpty(result) && !Array.isArray(result);
  const isDue = isOther || (shownEnd(one) === null ? objectParts.has(each.part) : showsObject(one));
  return isDue && !isObject(result) ? "result is not an object" : null;
}

function showsObject(one: Told): boolean {
  const result = shownEnd(one)?.result;
  return isObject(result) && !isEmpty(result);
}

function shownEnd({ each, job }: Told): Job | null {
  return job ?? jobIn(each.endPoll);
}
