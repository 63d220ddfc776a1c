/** webhook.body: the documented fields of a completed job's delivery. Spec §6. */

import { isEmpty, isObject } from "../../decode/decoded.ts";
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
  return toldClaim({
    promise: "webhook.body",
    told: read,
    lieOf: bodyProblem,
    agrees: "deliveries have the documented fields",
    without: told.length > 0 ? UNREAD : "no completed job was delivered",
  });
}

/** The first field that is not as documented; null when all are. */
function bodyProblem({ each, body, job }: Told): string | null {
  if (!isObject(body)) return "the body is not a JSON object";
  for (const name of ["event", "job_uuid", "status"]) {
    const value = body[name];
    if (typeof value !== "string" || value === "") return `${name} is not a string`;
  }
  const firedAt = body.fired_at;
  if (typeof firedAt !== "string" || parseTimestamp(firedAt) === null) {
    return "fired_at is not an ISO 8601 UTC time";
  }
  // Of other parts an object is known to come out where the job endpoint shows one.
  const isDue = each.part === "success" || (isObject(job?.result) && !isEmpty(job?.result));
  return isDue && !isObject(body.result) ? "result is not an object" : null;
}
