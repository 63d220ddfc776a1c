/** Reads the worker list and a worker's detail. Spec §2.2, §2.3, §4.1. */

import type { Complain, Decoded, JsonObject, Problem } from "./decoded.ts";
import {
  complainTo,
  describe,
  isAmount,
  isObject,
  notAnObject,
  readNullableText,
  readText,
} from "./decoded.ts";
import { flatSchema } from "./flat-schema.ts";

export interface WorkerEntry {
  id: string;
  name: string | null;
  priceUsd: number | null;
  billingMode: string | null;
  shortDescription: string | null;
  category: string | null;
  /** What its other members of such a name tell, as a worker may have several. */
  moreCategories: readonly string[];
  tags: readonly string[];
}

/** What anyone asks for of it; the form of its other members is checked. */
export interface WorkerDetail {
  id: string | null;
  /** Longest run; `timeout_seconds`, or variant A's `max_duration`. */
  timeoutSeconds: number | null;
  /** With its fields at its top. */
  inputSchema: JsonObject | null;
}

/** The one billing mode that the spec shows. Spec §2.2. */
export const PER_RUN = "per_run";

/**
 * The entries that have an identifier; every entry's problems. A member without a value may be
 * null; which it is not for the identifier, the name and the billing mode. The variants are alike.
 */
export function decodeWorkerList(body: unknown): Decoded<readonly WorkerEntry[]> {
  if (!isObject(body)) return notAnObject(body);
  const workers = body.workers;
  if (!Array.isArray(workers)) {
    const problem = { path: "workers", expected: "an array", got: describe(workers) };
    return { value: null, variant: null, problems: [problem] };
  }
  const problems: Problem[] = [];
  const value = workers.flatMap((entry: unknown, index) => {
    const complain: Complain = (path, expected, got) =>
      complainTo(problems)(
        path === "$" ? `workers[${index}]` : `workers[${index}].${path}`,
        expected,
        got,
      );
    return readEntry(entry, complain) ?? [];
  });
  return { value, variant: null, problems };
}

function readEntry(entry: unknown, complain: Complain): WorkerEntry | null {
  if (!isObject(entry)) {
    complain("$", "an object", entry);
    return null;
  }
  const id = readText(entry, "worker_id", complain);
  const worker = {
    name: readText(entry, "name", complain),
    priceUsd: readPrice(entry, complain),
    billingMode: readText(entry, "billing_mode", complain),
    shortDescription: readNullableText(entry, "short_description", true, complain),
    category: readNullableText(entry, "category", true, complain),
    moreCategories: readMoreCategories(entry),
    tags: readTags(entry, complain),
  };
  return id === null ? null : { id, ...worker };
}

function readMoreCategories(entry: JsonObject): readonly string[] {
  return Object.entries(entry)
    .filter(([name]) => name !== "category" && /categor/i.test(name))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]))
    .filter((each) => typeof each === "string");
}

/** A price per run is due from workers that are billed per run; others may have none. */
function readPrice(entry: JsonObject, complain: Complain): number | null {
  const price = entry.price_per_run_usd;
  if (isAmount(price)) return price;
  const isAbsent = price === undefined || price === null;
  if (!isAbsent || entry.billing_mode === PER_RUN) {
    complain("price_per_run_usd", "a number of at least 0", price);
  }
  return null;
}

function readTags(entry: JsonObject, complain: Complain): readonly string[] {
  const tags = entry.tags === null ? [] : entry.tags;
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === "string")) return tags;
  complain("tags", "an array of strings", tags);
  return [];
}

export function decodeWorker(body: unknown): Decoded<WorkerDetail> {
  if (!isObject(body)) return notAnObject(body);
  const problems: Problem[] = [];
  const complain = complainTo(problems);
  const inputSchema = readSchema(body, "input_schema", true, complain);
  const id = readText(body, "worker_id", complain);
  for (const name of ["name", "status", "billing_mode"]) readText(body, name, complain);
  const timeoutSeconds = readTimeout(body, complain);
  readSchema(body, "output_schema", false, complain);
  readNullableText(body, "readme_content", false, complain);
  const flat = inputSchema === null ? null : flatSchema(inputSchema);
  return { value: { id, timeoutSeconds, inputSchema: flat }, variant: null, problems };
}

function readTimeout(body: JsonObject, complain: Complain): number | null {
  const seconds = body.timeout_seconds ?? body.max_duration;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds > 0) return seconds;
  complain("timeout_seconds", "a positive integer", seconds);
  return null;
}

/** Whether an object is a valid JSON Schema is the Node-side witness's question. */
function readSchema(
  body: JsonObject,
  name: string,
  due: boolean,
  complain: Complain,
): JsonObject | null {
  const value = body[name];
  if (isObject(value)) return value;
  if (due || (value !== undefined && value !== null)) complain(name, "an object", value);
  return null;
}
