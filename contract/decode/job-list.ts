/** Finds the entries of GET /v1/jobs, whose shape the specification leaves open. Spec §4.5. */

import { parseTimestamp } from "../timestamps.ts";
import type { JsonObject } from "./decoded.ts";
import { isObject } from "./decoded.ts";

export interface ListedJob {
  id: string;
  workerId: string | null;
  createdAtMs: number | null;
  /** Everything that the entry shows, as it came. */
  entry: unknown;
}

export interface JobList {
  jobs: readonly ListedJob[];
  /** True when a field beside the entries speaks of pages, cursors or totals. */
  looksPaginated: boolean;
}

const ID_FIELDS = ["job_uuid", "job_id", "uuid", "id"];
const WORKER_FIELDS = ["worker_id", "worker"];
const CREATED_FIELDS = ["created_at", "submitted_at"];
const PAGE_FIELD = /next|cursor|page|offset|total|count|has_more|limit/i;
/** Ours: an envelope nests its list this deep at the most. */
const ENVELOPE_DEPTH_MAX = 3;

/** The list in the body of a 200; null when no array in it looks like a list of jobs. */
export function decodeJobList(body: unknown): JobList | null {
  const found = findEntries(body, 0);
  if (found === null) return null;
  return {
    jobs: found.entries.flatMap((entry) => listedJob(entry) ?? []),
    looksPaginated: isObject(body) && mentionsPages(body, ENVELOPE_DEPTH_MAX),
  };
}

interface Entries {
  entries: readonly unknown[];
}

function findEntries(node: unknown, depth: number): Entries | null {
  if (Array.isArray(node)) {
    const isList = node.length === 0 || node.some((entry) => listedJob(entry) !== null);
    return isList ? { entries: node } : null;
  }
  if (!isObject(node) || depth >= ENVELOPE_DEPTH_MAX) return null;
  const candidates = Object.keys(node).flatMap((name) => findEntries(node[name], depth + 1) ?? []);
  return candidates.sort((a, b) => b.entries.length - a.entries.length)[0] ?? null;
}

function listedJob(entry: unknown): ListedJob | null {
  if (typeof entry === "string" && entry !== "") {
    return { id: entry, workerId: null, createdAtMs: null, entry };
  }
  if (!isObject(entry)) return null;
  const id = firstText(entry, ID_FIELDS);
  if (id === null) return isObject(entry.job) ? listedJob(entry.job) : null;
  return {
    id,
    workerId: firstText(entry, WORKER_FIELDS),
    createdAtMs: createdAt(entry),
    entry,
  };
}

function createdAt(entry: JsonObject): number | null {
  const stamps = isObject(entry.timestamps) ? entry.timestamps : {};
  const text = firstText(entry, CREATED_FIELDS) ?? firstText(stamps, CREATED_FIELDS);
  return text === null ? null : (parseTimestamp(text)?.ms ?? null);
}

function firstText(source: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = source[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

function mentionsPages(node: JsonObject, depth: number): boolean {
  return Object.keys(node).some((name) => {
    const value = node[name];
    if (PAGE_FIELD.test(name) && value !== null && value !== false) return true;
    return depth > 1 && isObject(value) && mentionsPages(value, depth - 1);
  });
}
