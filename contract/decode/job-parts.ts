/**
 * Readers of a job's parts: times, cost, result, files, error. A member without a value yet may be
 * null, empty or absent; how late it may be so is said at each. Spec §2.5 to §2.8, §7.
 */

import type { State } from "../states.ts";
import { isTerminal } from "../states.ts";
import type { Timestamp } from "../time/timestamps.ts";
import { parseTimestamp } from "../time/timestamps.ts";
import type { JsonObject } from "./decoded.ts";
import { isAmount, isCount, isEmpty, isObject, withoutResidue } from "./decoded.ts";
import type { FileEntry, Job, JobCost, JobError, JobReader } from "./job-types.ts";

/** Stands for a `timestamps` object that is not there; its members are not asked for. */
export const NO_TIMES: JsonObject = {};

/**
 * Whether a state alone tells of a run: a job can fail before it starts, and a cancelled one never
 * does. Spec §3.1.
 */
export function hasRun(state: State | null): boolean {
  return state === "completed" || state === "timeout";
}

/**
 * A time that `due` says must be there. The submission always is, the start once the job has run,
 * the end once it has ended. When a cancelled job ended is open: it began nothing. So is variant
 * A's `completed_at` of jobs that ended otherwise, which by its name may be of completed ones.
 */
export function readTime(
  reader: JobReader,
  times: JsonObject,
  prefix: string,
  name: string,
  due: boolean,
): Timestamp | null {
  const text = times[name];
  if (isEmpty(text)) {
    if (due && times !== NO_TIMES) reader.complain("job.shape", prefix + name, "a timestamp", text);
    return null;
  }
  const parsed = parseTimestamp(text);
  if (parsed === null) {
    reader.complain("job.timestamps", prefix + name, "ISO 8601 in UTC", text);
  }
  return parsed;
}

/** The run's duration; due once the job has run, or failed and states when it had started. */
export function readDuration(reader: JobReader, times: JsonObject, path: string): number | null {
  const value = times.duration_ms;
  if (isEmpty(value)) {
    const startedAndFailed = reader.state === "failed" && !isEmpty(times.started_at);
    const due = (hasRun(reader.state) || startedAndFailed) && times !== NO_TIMES;
    if (due) reader.complain("job.shape", path, "an integer", value);
    return null;
  }
  if (isCount(value)) return value;
  reader.complain("job.duration", path, "an integer of at least 0", value);
  return null;
}

/** The cost of a completed job: what one that ended otherwise costs is open. Spec §2.5, §2.8. */
export function readCost(reader: JobReader): JobCost {
  const none = { credits: null, totalUsd: null, runUsd: null, infraUsd: null, billingMode: null };
  if (reader.variant === "A")
    return { ...none, credits: amount(reader, reader.raw, "cost_credits") };
  const cost = reader.raw.cost;
  if (isEmpty(cost)) {
    if (reader.state === "completed") unsettled(reader, "cost", "an object", cost);
    return none;
  }
  if (!isObject(cost)) {
    reader.complain("job.shape", "cost", "an object", cost);
    return none;
  }
  return {
    credits: null,
    totalUsd: amount(reader, cost, "total_usd", "cost."),
    runUsd: amount(reader, cost, "run_usd", "cost."),
    infraUsd: amount(reader, cost, "infra_usd", "cost."),
    billingMode: readBillingMode(reader, cost),
  };
}

function amount(reader: JobReader, from: JsonObject, name: string, prefix = ""): number | null {
  const value = withoutResidue(from[name]);
  if (isEmpty(value)) {
    if (reader.state === "completed") unsettled(reader, prefix + name, "a number", value);
    return null;
  }
  if (isAmount(value)) return value;
  reader.complain("job.cost", prefix + name, "a number of at least 0", value);
  return typeof value === "number" ? value : null;
}

function readBillingMode(reader: JobReader, cost: JsonObject): string | null {
  const { billing_mode: mode } = cost;
  const total = withoutResidue(cost.total_usd);
  if (typeof mode === "string" && mode !== "") return mode;
  // Whatever the end, what was charged was charged by some mode.
  const isCharged = isTerminal(reader.state) && typeof total === "number" && total > 0;
  if (reader.state === "completed" || isCharged || !isEmpty(mode)) {
    reader.complain("job.shape", "cost.billing_mode", "a non-empty string", mode);
  }
  return null;
}

/** What the worker produced. Only a completed job owes any, so only there it is looked at. */
export function readResult(reader: JobReader): Pick<Job, "result" | "output"> {
  if (reader.state !== "completed") return { result: null, output: null };
  const name = reader.variant === "A" ? "result" : "output";
  const value = reader.raw[name];
  if (!isObject(value)) {
    reader.complain("job.result-present", name, "an object", value);
    return { result: null, output: null };
  }
  if (name === "result") return { result: value, output: null };
  return { result: readOutput(reader, value), output: value };
}

/**
 * The content of an `output`; members that its kind leaves unused may be absent. Where `items` are
 * there, they are an array, an empty one unless they are used. Spec §2.6.
 */
function readOutput(reader: JobReader, output: JsonObject): unknown {
  const { kind, data, items, meta } = output;
  const expect = (holds: boolean, name: string, expected: string, got: unknown): void => {
    if (!holds) reader.complain("job.result-present", `output.${name}`, expected, got);
  };
  if (kind !== "object" && kind !== "list" && kind !== "empty") {
    expect(false, "kind", "object, list or empty", kind);
    return null;
  }
  if (kind === "object") expect(isObject(data), "data", "an object, as kind is object", data);
  else expect(data !== "" && isEmpty(data), "data", `null, as kind is ${kind}`, data);
  const isNone = items === undefined || (Array.isArray(items) && items.length === 0);
  if (kind === "list") expect(Array.isArray(items), "items", "an array, as kind is list", items);
  else expect(isNone, "items", `an empty array, as kind is ${kind}`, items);
  expect(meta === undefined || meta === null || isObject(meta), "meta", "an object", meta);
  if (kind === "empty") return null;
  return kind === "object" ? data : items;
}

/** Generated files; an array is due once completed, if only an empty one. Spec §2.5, §2.7. */
export function readFiles(reader: JobReader): readonly FileEntry[] | null {
  const files = reader.raw.files;
  if (!Array.isArray(files)) {
    const due = reader.state === "completed" || !isEmpty(files);
    if (due) reader.complain("job.files", "files", "an array", files);
    return null;
  }
  return files.flatMap((entry: unknown, index) => readFile(reader, entry, `files[${index}]`) ?? []);
}

/** Ours: the scheme is open, as test services have no TLS; that it is an address is not. */
const ADDRESS = /^https?:\/\/[^\s/]/;

const MIME_TYPE = /^[^\s/]+\/[^\s/]/;

function readFile(reader: JobReader, entry: unknown, path: string): FileEntry | null {
  if (!isObject(entry)) {
    reader.complain("job.files", path, "an object", entry);
    return null;
  }
  const { id, name, content_type: contentType, size_bytes: sizeBytes, url } = entry;
  const file = {
    id: fileText(reader, id, `${path}.id`, /./, "a non-empty string"),
    name: fileText(reader, name, `${path}.name`, /./, "a non-empty string"),
    contentType: fileText(reader, contentType, `${path}.content_type`, MIME_TYPE, "a MIME type"),
    sizeBytes: readSize(reader, sizeBytes, `${path}.size_bytes`),
    url: fileText(reader, url, `${path}.url`, ADDRESS, "an http or https address"),
  };
  return Object.values(file).includes(null) ? null : (file as FileEntry);
}

function fileText(
  reader: JobReader,
  value: unknown,
  path: string,
  pattern: RegExp,
  expected: string,
): string | null {
  if (typeof value === "string" && pattern.test(value)) return value;
  reader.complain("job.files", path, expected, value);
  return null;
}

function readSize(reader: JobReader, value: unknown, path: string): number | null {
  if (isCount(value)) return value;
  reader.complain("job.files", path, "an integer of at least 0", value);
  return null;
}

/** The error: an object with `code` and `message` on failure, without a value otherwise. §7. */
export function readError(reader: JobReader): JobError | null {
  const { error } = reader.raw;
  if (reader.state === null) return null;
  if (reader.state !== "failed") {
    if (isEmpty(error)) return null;
    reader.complain("job.error-only-on-failure", "error", `null, as it is ${reader.state}`, error);
    return null;
  }
  if (!isObject(error)) {
    reader.complain("job.error-only-on-failure", "error", "an object with code and message", error);
    return null;
  }
  const code = errorText(reader, error, "code");
  const message = errorText(reader, error, "message");
  return code === null || message === null ? null : { code, message };
}

/** Spec §7 names the two members and not their types; a number is a code to many services. */
function errorText(reader: JobReader, error: JsonObject, name: "code" | "message"): string | null {
  const value = error[name];
  if (typeof value === "string") return value;
  if (name === "code" && Number.isFinite(value)) return String(value);
  reader.complain("job.error-only-on-failure", `error.${name}`, "a string", value);
  return null;
}

/** A cost may be settled some time after the end. */
function unsettled(reader: JobReader, path: string, expected: string, got: unknown): void {
  reader.complain("job.shape", path, expected, got, { isUnsettled: true });
}
