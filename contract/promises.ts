/**
 * The catalogue of what the service promises. Ids are part of reports, metrics and alerts: fixed.
 */

import type { Variant } from "./states.ts";

export type Basis = "spec" | "standard" | "objective";
export type Witness = "k6" | "node" | "receiver";

export interface PromiseEntry {
  id: string;
  /** Section of the interface specification that makes the promise. */
  section: string;
  basis: Basis;
  /** All of them must have looked before the promise can be kept. */
  witnesses: readonly Witness[];
  title: string;
  /** Variants of the interface that make the promise; left out: both. */
  variants?: readonly Variant[];
}

type Rest = Partial<Pick<PromiseEntry, "basis" | "witnesses" | "variants">>;
type Row<Id = string> = readonly [id: Id, section: string, title: string, rest?: Rest];

const STANDARD: Rest = { basis: "standard" };
const OBJECTIVE: Rest = { basis: "objective" };
const NODE: Rest = { witnesses: ["node"] };
const K6_AND_NODE: Rest = { witnesses: ["k6", "node"] };
const RECEIVER: Rest = { witnesses: ["receiver"] };
const B_ONLY: Rest = { variants: ["B"] };

/** Made by the specification, in both variants, and seen by k6, unless the row says otherwise. */
const ROWS = [
  ["auth.missing-key", "5", "A request that names no key is refused with 401"],
  ["auth.invalid-key", "5", "A key that nobody was given is refused with 401"],
  ["auth.revoked-key", "5", "A revoked key is refused with 401"],
  ["auth.error-body", "7", "The body of a 401 has error, message and status"],
  ["auth.header-case", "5", "The key header counts in any letter case", NODE],
  ["auth.every-endpoint", "4", "No endpoint but the worker list serves strangers"],
  ["account.readable", "4.8", "Account, credits and deployments can be read as JSON"],
  ["workers.list-shape", "2.2", "The worker list has the documented fields"],
  ["workers.category-filter", "4.1", "Filtering by category leaves only that category"],
  ["workers.text-filter", "4.1", "A text query finds a worker by name and leaves others out"],
  [
    "workers.detail-shape",
    "2.3",
    "A worker's detail has a run limit and a valid input schema",
    K6_AND_NODE,
  ],
  ["workers.unknown", "4.2", "A worker that does not exist is 404"],
  ["workers.publish", "4.7", "An own worker can be published, an unknown one is 404"],
  ["submit.accepted-status", "4.3", "An accepted job is answered 202"],
  ["submit.accepted-shape", "2.4", "The accepted object has the documented fields"],
  ["submit.unique-id", "2.4", "No two jobs share an identifier"],
  ["submit.asynchronous", "1.2", "Submitting does not wait for the run"],
  ["submit.control-parameters", "4.3", "webhook and priority are welcome beside any input"],
  ["submit.malformed", "4.3", "A body that is no JSON object is 400"],
  ["submit.missing-field", "4.3", "A body without a required field is 400"],
  ["submit.schema-violation", "4.3", "A field that breaks the input schema is 422"],
  ["submit.insufficient-credits", "4.3", "An account without credits is told 402"],
  ["submit.rejected-runs-nothing", "4.3", "A refused submission neither runs nor costs"],
  ["job.shape", "2.5", "The job object is that of one variant, always the same"],
  ["job.same-id", "4.4", "A job is returned under the identifier it was issued with"],
  ["job.unknown", "4.4", "A job that does not exist is 404"],
  ["job.never-lost", "3.1", "An accepted job stays readable and ends"],
  ["job.known-states", "3.1", "Only documented states, in one spelling"],
  ["job.forward-only", "3.1", "A job never steps back"],
  ["job.terminal-final", "3.1", "An ended job never changes again"],
  ["job.result-present", "2.6", "A completed job has its result"],
  ["job.error-only-on-failure", "7", "Failed jobs have an error, all others have none"],
  ["job.timestamps", "2.5", "Timestamps are UTC, in order, and not in the future"],
  ["job.duration", "2.5", "The stated duration is the true one"],
  ["job.own-result", "1.1", "A job's result is that of its own input"],
  ["job.run-once", "3", "A job runs once"],
  ["job.files", "2.7", "File entries have the documented fields", B_ONLY],
  [
    "job.files-readable",
    "2.7",
    "A file can be downloaded from its address without a key, in its stated size",
    { ...B_ONLY, ...NODE },
  ],
  ["job.cost", "2.8", "Costs are not negative and add up"],
  ["job.list-limit", "4.5", "The job list holds the latest 100 and no more"],
  ["job.list-own", "4.5", "The job list shows one's own new job and nobody else's"],
  ["timeout.fires", "3.2", "A job that runs too long ends as timed out"],
  ["timeout.not-early", "2.3", "No job is cut off before its limit"],
  ["timeout.not-late", "2.3", "A job is cut off soon after its limit"],
  ["timeout.free", "1.4", "A timed-out job costs nothing"],
  ["timeout.under-load", "8", "Timeouts hold under load as well"],
  ["cancel.queued", "3.2", "A queued job can be cancelled and then never runs"],
  ["cancel.not-running", "3.2", "A running job is not cancelled"],
  ["cancel.not-terminal", "3.2", "Cancelling an ended job changes nothing"],
  ["webhook.delivered", "6", "Each end of a job is delivered", RECEIVER],
  ["webhook.not-before-terminal", "6", "Nothing is delivered before the end", RECEIVER],
  ["webhook.body", "6", "A delivery has the documented fields", RECEIVER],
  ["webhook.truthful", "6", "A delivery says what the job endpoint says", RECEIVER],
  ["webhook.signed", "5", "Deliveries are signed", RECEIVER],
  ["webhook.once", "6", "A delivery answered 200 is not repeated", RECEIVER],
  ["webhook.retried", "6", "A failed delivery is tried again", RECEIVER],
  ["webhook.wait-1", "6", "The first retry comes after 5 s", RECEIVER],
  ["webhook.wait-2", "6", "The second retry comes 30 s later", RECEIVER],
  ["webhook.wait-3", "6", "The third retry comes 5 min later", RECEIVER],
  ["webhook.gives-up", "6", "There is no fourth retry", RECEIVER],
  ["webhook.answer-time", "6", "An answer counts within 10 s, and not after", RECEIVER],
  ["webhook.recovers", "6", "A retry answered 200 ends the series", RECEIVER],
  ["webhook.only-asked", "6", "A job without webhook delivers nothing", RECEIVER],
  ["webhook.result", "6", "A completed job's delivery has the job's result", RECEIVER],
  ["rate.limited", "7", "Above the limit the answer is 429"],
  ["rate.sustained", "8", "The sustained rate is the plan's"],
  ["rate.burst", "8", "A rested key may burst as far as its plan says"],
  ["rate.within-plan", "8", "Who stays within the plan gets no 429"],
  ["rate.retry-after-present", "7", "Each 429 says when to come back"],
  ["rate.retry-after-valid", "7", "Retry-After is seconds or an HTTP date", STANDARD],
  ["rate.retry-after-sufficient", "7", "Who waits as told is let in", STANDARD],
  [
    "rate.retry-after-not-excessive",
    "7",
    "Nobody is told to wait much longer than needed",
    OBJECTIVE,
  ],
  ["rate.per-key", "8", "One key's excess is no other key's loss"],
  ["rate.all-endpoints", "8", "All endpoints draw on the key's one allowance"],
  ["rate.rejected-not-run", "7", "A submission answered 429 starts no job"],
  ["load.no-losses", "1", "Each job accepted in a soak is accounted for"],
  ["load.throughput", "1", "Completed jobs per second reach the objective", OBJECTIVE],
  ["load.latency", "1", "Submit answers and queue waits stay under the objective", OBJECTIVE],
  ["load.errors", "7", "Errors under load stay under the objective", OBJECTIVE],
  ["load.webhooks", "6", "Each webhook of a soak is delivered", RECEIVER],
  ["load.accounting", "1.4", "The balance falls by what the jobs cost"],
  ["load.stable", "1", "Nothing drifts while the load lasts", OBJECTIVE],
] as const satisfies readonly Row[];

export type PromiseId = (typeof ROWS)[number][0];

type Entry = PromiseEntry & { id: PromiseId };

export const PROMISES: readonly Entry[] = ROWS.map(entryOf);

function entryOf([id, section, title, told = {}]: Row<PromiseId>): Entry {
  const { basis = "spec", witnesses = ["k6"], ...rest } = told;
  return { id, section, basis, witnesses, title, ...rest };
}

export type PromiseGroup = PromiseId extends `${infer Group}.${string}` ? Group : never;

export const PROMISE_IDS: readonly PromiseId[] = PROMISES.map((promise) => promise.id);

const BY_ID = new Map<string, PromiseEntry>(PROMISES.map((promise) => [promise.id, promise]));

/** Groups in the order of the catalogue: auth, account, workers, submit, job, and so on. */
export const PROMISE_GROUPS: readonly PromiseGroup[] = [...new Set(PROMISE_IDS.map(groupOf))];

export function groupOf(id: PromiseId): PromiseGroup {
  return id.slice(0, id.indexOf(".")) as PromiseGroup;
}

export function isPromiseId(text: string): text is PromiseId {
  return BY_ID.has(text);
}

/** Whether this variant of the interface makes the promise; an unknown one might. */
export function isPromisedIn(variant: Variant | null, id: PromiseId): boolean {
  const { variants } = promiseEntry(id);
  return variant === null || variants === undefined || variants.includes(variant);
}

/** The entry of a promise. Throws on an id that the catalogue does not have. */
export function promiseEntry(id: PromiseId): PromiseEntry {
  const entry = BY_ID.get(id);
  if (entry === undefined) throw new Error(`unknown promise "${id}"; see contract/promises.ts`);
  return entry;
}
