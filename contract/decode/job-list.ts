/** Finds the entries of GET /v1/jobs, whose shape the specification leaves open. Spec §4.5. */

import { speaksOfPages } from "../answers/page-fields.ts";
import { parseStatus } from "../states.ts";
import { parseTimestamp } from "../time/timestamps.ts";
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

const JOB_ID_FIELDS = ["job_uuid", "job_id", "jobUuid", "jobId"];
const ID_FIELDS = [...JOB_ID_FIELDS, "uuid", "id"];
/** Ours: members of an entry that hold what it lacks of the job. */
const ENVELOPES = ["job", "attributes", "node"];
/** Ours: names of lists, alone or in an envelope. */
const LIST_NAME = /^$|jobs|items|data|results|entries/i;
const WORKER_FIELDS = ["worker_id", "worker"];
const CREATED_FIELDS = ["created_at", "submitted_at"];
/** Ours: an envelope nests its list this deep at the most. */
const ENVELOPE_DEPTH_MAX = 3;

/** The list in the body of a 200; null when nothing in it looks like a list of jobs. */
export function decodeJobList(body: unknown): JobList | null {
  const found = candidatesIn(body, "", 0);
  const jobLike = found.filter(({ likeness }) => likeness >= LIKENESS.state);
  const entries = jobLike.length > 0 ? united(jobLike) : likeliest(found);
  if (entries === null) return null;
  return {
    jobs: entries,
    looksPaginated: isObject(body) && speaksOfPages(body, ENVELOPE_DEPTH_MAX),
  };
}

/** What tells a job from any other thing that has an identifier. */
const LIKENESS = { none: 0, id: 1, state: 2, jobId: 3 } as const;

interface Candidate {
  /** The member at which it stands; "" for the body itself. */
  name: string;
  entries: readonly ListedJob[];
  likeness: number;
}

/** Arrays of entries, and objects that hold jobs by their identifiers. */
function candidatesIn(node: unknown, name: string, depth: number): readonly Candidate[] {
  if (Array.isArray(node)) {
    const entries = node.flatMap((entry) => listedJob(entry) ?? []);
    if (node.length > 0 && entries.length === 0) return [];
    return [{ name, entries, likeness: Math.max(LIKENESS.none, ...entries.map(likenessOf)) }];
  }
  if (!isObject(node)) return [];
  const byId = jobsById(node);
  if (byId.length > 0) return [{ name, entries: byId, likeness: LIKENESS.state }];
  if (depth >= ENVELOPE_DEPTH_MAX) return [];
  return Object.keys(node).flatMap((member) => candidatesIn(node[member], member, depth + 1));
}

function likenessOf({ entry }: ListedJob): number {
  const fields = fieldsOf(entry);
  if (firstText(fields, JOB_ID_FIELDS) !== null) return LIKENESS.jobId;
  return hasState(fields) ? LIKENESS.state : LIKENESS.id;
}

function hasState({ status }: JsonObject): boolean {
  return parseStatus(status) !== null;
}

function jobsById(node: JsonObject): readonly ListedJob[] {
  const pairs = Object.entries(node);
  const isAllJobs = pairs.every(([, value]) => isObject(value) && hasState(value));
  if (!isAllJobs) return [];
  return pairs.map(([id, entry]) => listedJob(entry) ?? { ...NOTHING_MORE, id, entry });
}

/** Jobs may be grouped, by their states for one; a job that is in two groups is one job. */
function united(groups: readonly Candidate[]): readonly ListedJob[] {
  const likeness = Math.max(...groups.map((group) => group.likeness));
  const [first, ...rest] = groups.filter((group) => group.likeness === likeness);
  const entries = [...(first?.entries ?? [])];
  const seen = new Set(entries.map(({ id }) => id));
  for (const group of rest) {
    entries.push(...group.entries.filter(({ id }) => !seen.has(id)));
    for (const { id } of group.entries) seen.add(id);
  }
  return entries;
}

/** Where no entry is a job's for sure: those with a list's name, before what is longest. */
function likeliest(found: readonly Candidate[]): readonly ListedJob[] | null {
  const named = found.filter(({ name }) => LIST_NAME.test(name));
  const among = named.length > 0 ? named : found;
  const [longest] = [...among].sort((a, b) => b.entries.length - a.entries.length);
  return longest?.entries ?? null;
}

const NOTHING_MORE = { workerId: null, createdAtMs: null } as const;

function listedJob(entry: unknown): ListedJob | null {
  if (typeof entry === "string" && entry !== "") {
    return { ...NOTHING_MORE, id: idInAddress(entry) ?? entry, entry };
  }
  const fields = fieldsOf(entry);
  const id = firstText(fields, ID_FIELDS) ?? idInLinks(fields);
  if (id === null) return null;
  return {
    id,
    workerId: firstText(fields, WORKER_FIELDS)?.replace(WORKER_ADDRESS, "") ?? null,
    createdAtMs: createdAt(fields),
    entry: fields,
  };
}

/** A job's address ends with its identifier (spec §4.4), as a resource's name does (AIP-122). */
const JOB_ADDRESS = /(?:^|\/)jobs\/([^/?#]+)$/;

const WORKER_ADDRESS = /^(?:.*\/)?workers\//;

function idInAddress(address: unknown): string | null {
  const [, id] = (typeof address === "string" ? JOB_ADDRESS.exec(address) : null) ?? [];
  try {
    return id === undefined ? null : decodeURIComponent(id);
  } catch {
    return null;
  }
}

/** Of an entry that names its job by a link to it, or by its resource's name, alone. */
function idInLinks({ name, href, url, self, links, _links }: JsonObject): string | null {
  const own = [links, _links].map((each) => (isObject(each) ? each.self : null));
  const told = [name, href, url, self, ...own];
  const addresses = told.map((each) => (isObject(each) ? each.href : each));
  return addresses.map(idInAddress).find((id) => id !== null) ?? null;
}

const NO_FIELDS: JsonObject = {};

/** Of a job, or of the envelope of one. */
function fieldsOf(entry: unknown): JsonObject {
  if (!isObject(entry)) return NO_FIELDS;
  const isNamed = (fields: unknown) =>
    isObject(fields) && firstText(fields, JOB_ID_FIELDS) !== null;
  if (isNamed(entry) || hasState(entry)) return entry;
  const known = ENVELOPES.map((name) => entry[name]);
  const inner = known.find(isObject) ?? Object.values(entry).find(isNamed);
  return inner === undefined ? entry : { ...entry, ...fieldsOf(inner) };
}

function createdAt(entry: JsonObject): number | null {
  const stamps = isObject(entry.timestamps) ? entry.timestamps : {};
  const text = firstText(entry, CREATED_FIELDS) ?? firstText(stamps, CREATED_FIELDS);
  return parseTimestamp(text)?.ms ?? null;
}

function firstText(source: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = source[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
