/** Reads the answer to a submission, in either variant. Spec §2.4. */

import type { Exchange } from "../requests/exchange.ts";
import { isSuccess, jsonBody } from "../requests/exchange.ts";
import type { State, Variant } from "../states.ts";
import { parseStatus, STATE_SPELLINGS } from "../states.ts";
import type { Timestamp } from "../time/timestamps.ts";
import { parseTimestamp } from "../time/timestamps.ts";
import type { Complain, Decoded, JsonObject, Problem } from "./decoded.ts";
import { complainTo, isAmount, isObject, notAnObject, readText, variantBy } from "./decoded.ts";

export interface Accepted {
  /** The identifier issued: `job_uuid`, or `job_id` where only that is there. */
  id: string | null;
  workerId: string | null;
  state: State | null;
  estimatedCredits: number | null;
  createdAt: Timestamp | null;
}

export function decodeAccepted(body: unknown): Decoded<Accepted> {
  if (!isObject(body)) return notAnObject(body);
  const problems: Problem[] = [];
  const complain = complainTo(problems);
  // Both have `job_uuid` here.
  const variant = variantBy(body, ["worker", "created_at"], ["worker_id", "submitted_at"]);
  if (variant === null) {
    complain("$", "the accepted object of variant A or B", body);
    return { value: null, variant, problems };
  }
  const isA = variant === "A";
  const value = {
    id: readId(body, complain),
    workerId: readText(body, isA ? "worker" : "worker_id", complain),
    state: readState(body, variant, complain),
    estimatedCredits: isA ? readEstimate(body, complain) : null,
    createdAt: readCreated(body, variant, complain),
  };
  return { value, variant, problems };
}

function readId(body: JsonObject, complain: Complain): string | null {
  const id = readText(body, "job_uuid", complain);
  if (id !== null) return id;
  return typeof body.job_id === "string" && body.job_id !== "" ? body.job_id : null;
}

function readState(body: JsonObject, variant: Variant, complain: Complain): State | null {
  const expected = STATE_SPELLINGS[variant].queued;
  if (body.status === expected) return "queued";
  complain("status", `"${expected}"`, body.status);
  return parseStatus(body.status)?.state ?? null;
}

/** An estimate may be absent where there is none to give. */
function readEstimate(body: JsonObject, complain: Complain): number | null {
  const value = body.cost_estimate_credits;
  if (value === undefined || value === null) return null;
  if (isAmount(value)) return value;
  complain("cost_estimate_credits", "a number of at least 0", value);
  return null;
}

function readCreated(body: JsonObject, variant: Variant, complain: Complain): Timestamp | null {
  const name = variant === "A" ? "created_at" : "submitted_at";
  const parsed = parseTimestamp(body[name]);
  if (parsed === null) complain(name, "ISO 8601 in UTC", body[name]);
  return parsed;
}

/** The identifier that the answer to a submission issues; null where it issues none. */
export function issuedIdIn(exchange: Exchange): string | null {
  return isSuccess(exchange) ? (decodeAccepted(jsonBody(exchange)).value?.id ?? null) : null;
}
