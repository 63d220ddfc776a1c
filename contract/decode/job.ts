/** Turns the job object of either variant into one `Job`. Spec §2.5 to §2.8. */

import type { Exchange } from "../requests/exchange.ts";
import { isSuccess, jsonBody } from "../requests/exchange.ts";
import { parseStatus } from "../states.ts";
import { cutTogether } from "../time/timestamps.ts";
import type { Decoded, JsonObject } from "./decoded.ts";
import { describe, isEmpty, isObject, variantBy } from "./decoded.ts";
import {
  hasRun,
  NO_TIMES,
  readCost,
  readDuration,
  readError,
  readFiles,
  readResult,
  readTime,
} from "./job-parts.ts";
import type { Job, JobProblem, JobReader } from "./job-types.ts";

/**
 * Reads a job object. A member that is due (see each reader) and missing is a problem of
 * `job.shape`; one that is there and wrong is a problem of the promise that speaks of it. An
 * unknown status text is no problem here: `job.known-states` reads `statusText`.
 */
export function decodeJob(body: unknown): Decoded<Job, JobProblem> {
  const problems: JobProblem[] = [];
  const complain: JobReader["complain"] = (promise, path, expected, got, settling = {}) => {
    problems.push({ promise, path, expected, got: describe(got), ...settling });
  };
  const variant = isObject(body) ? variantBy(body, OF_A, OF_B) : null;
  if (!isObject(body) || variant === null) {
    complain("job.shape", "$", "a job object of variant A or B", body);
    return { value: null, variant: null, problems };
  }
  const state = parseStatus(body.status)?.state ?? null;
  return { value: readJob({ raw: body, variant, state, complain }), variant, problems };
}

/** Always present, each in one variant; extra members are lawful. */
const OF_A = ["job_uuid", "worker", "created_at"];
const OF_B = ["job_id", "worker_id", "timestamps"];

function readJob(reader: JobReader): Job {
  const isA = reader.variant === "A";
  const times = isA ? reader.raw : readTimes(reader);
  return {
    variant: reader.variant,
    id: readId(reader),
    workerId: readRequired(reader, isA ? "worker" : "worker_id"),
    statusText: readRequired(reader, "status"),
    state: reader.state,
    cost: readCost(reader),
    ...readStamps(reader, times),
    ...readResult(reader),
    files: isA ? null : readFiles(reader),
    error: readError(reader),
    raw: reader.raw,
  };
}

/** A scheduler that counts in whole seconds tells of the run, and nothing of the submission. */
function readStamps(reader: JobReader, times: JsonObject) {
  const isA = reader.variant === "A";
  const prefix = isA ? "" : "timestamps.";
  const ran = hasRun(reader.state);
  const durationMs = readDuration(reader, times, `${prefix}duration_ms`);
  const createdAt = readTime(reader, times, prefix, isA ? "created_at" : "submitted_at", true);
  const run = {
    startedAt: isA ? null : readTime(reader, times, prefix, "started_at", ran),
    finishedAt: isA
      ? readTime(reader, times, prefix, "completed_at", reader.state === "completed")
      : readTime(reader, times, prefix, "finished_at", ran || reader.state === "failed"),
  };
  // The start alone of a job that runs, and the end alone of one that was cancelled.
  const aloneMs = (run.startedAt ?? run.finishedAt)?.ms;
  const cut = cutTogether(run, durationMs ?? aloneMs);
  return { durationMs, ...cutTogether({ createdAt, ...cut }) };
}

/** A job that names itself by the other variant's member is still known by it. */
function readId(reader: JobReader): string | null {
  const isA = reader.variant === "A";
  const id = readRequired(reader, isA ? "job_uuid" : "job_id");
  const fallback = isA ? reader.raw.job_id : reader.raw.job_uuid;
  return id ?? (typeof fallback === "string" && fallback !== "" ? fallback : null);
}

function readRequired(reader: JobReader, name: string): string | null {
  const value = reader.raw[name];
  if (typeof value === "string" && value !== "") return value;
  reader.complain("job.shape", name, "a non-empty string", value);
  return null;
}

/** The `timestamps` object of variant B; an empty one when it is not there. */
function readTimes(reader: JobReader): JsonObject {
  const value = reader.raw.timestamps;
  if (isObject(value) && !isEmpty(value)) return value;
  reader.complain("job.shape", "timestamps", "an object with submitted_at", value);
  // The one problem says it all: complaints about each member would only repeat it.
  return NO_TIMES;
}

/** The job that an answer shows; null where it shows none. */
export function jobIn(exchange: Exchange | null | undefined): Job | null {
  return exchange && isSuccess(exchange) ? decodeJob(jsonBody(exchange)).value : null;
}
