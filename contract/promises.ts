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
  ["auth.missing-key", "5", "A request without a key is rejected with 401"],
  ["auth.invalid-key", "5", "A request with an unknown key is rejected with 401"],
  ["auth.revoked-key", "5", "A request with a revoked key is rejected with 401"],
  ["auth.error-body", "7", "The body of a 401 has error, message and status"],
  ["auth.header-case", "5", "The name of the key header is case-insensitive", NODE],
  ["auth.every-endpoint", "4", "Every endpoint except the worker list requires a key"],
  ["account.readable", "4.8", "Account, credits and deployments are readable as JSON"],
  ["workers.list-shape", "2.2", "The worker list has the documented fields"],
  ["workers.category-filter", "4.1", "A category filter returns only workers of that category"],
  ["workers.text-filter", "4.1", "A text query finds a worker by name and omits others"],
  [
    "workers.detail-shape",
    "2.3",
    "A worker's details include a run limit and a valid input schema",
    K6_AND_NODE,
  ],
  ["workers.unknown", "4.2", "An unknown worker is answered 404"],
  ["workers.publish", "4.7", "An own worker can be published; an unknown one is answered 404"],
  ["submit.accepted-status", "4.3", "An accepted submission is answered 202"],
  [
    "submit.accepted-shape",
    "2.4",
    "The answer to an accepted submission has the documented fields",
  ],
  ["submit.unique-id", "2.4", "Every job has its own identifier"],
  ["submit.asynchronous", "1.2", "A submission is answered without waiting for the run"],
  ["submit.control-parameters", "4.3", "webhook and priority are accepted beside any input"],
  ["submit.malformed", "4.3", "A body that is not a JSON object is rejected with 400"],
  ["submit.missing-field", "4.3", "A body without a required field is rejected with 400"],
  [
    "submit.schema-violation",
    "4.3",
    "Input that violates the worker's schema is rejected with 422",
  ],
  ["submit.insufficient-credits", "4.3", "An account without credits is answered 402"],
  ["submit.rejected-runs-nothing", "4.3", "A rejected submission neither runs nor costs anything"],
  ["job.shape", "2.5", "A job object follows one variant, always the same"],
  ["job.same-id", "4.4", "A job is returned under the identifier it was accepted with"],
  ["job.unknown", "4.4", "An unknown job is answered 404"],
  ["job.never-lost", "3.1", "An accepted job stays readable and reaches a terminal state"],
  ["job.known-states", "3.1", "Only documented states appear, in one spelling"],
  ["job.forward-only", "3.1", "A job never returns to an earlier state"],
  ["job.terminal-final", "3.1", "A job never changes after it has ended"],
  ["job.result-present", "2.6", "A completed job has a result"],
  ["job.error-only-on-failure", "7", "Failed jobs have an error; other jobs have none"],
  ["job.timestamps", "2.5", "Timestamps are UTC, in order, and not in the future"],
  ["job.duration", "2.5", "The stated duration matches the run"],
  ["job.own-result", "1.1", "A job's result belongs to its own input"],
  ["job.run-once", "3", "A job runs once"],
  ["job.files", "2.7", "File entries have the documented fields", B_ONLY],
  [
    "job.files-readable",
    "2.7",
    "A file can be downloaded from its URL without a key, in its stated size",
    { ...B_ONLY, ...NODE },
  ],
  ["job.cost", "2.8", "Costs are not negative and add up"],
  ["job.list-limit", "4.5", "The job list holds the latest 100 jobs and no more"],
  ["job.list-own", "4.5", "The job list includes one's own new job and no other account's"],
  ["timeout.fires", "3.2", "A job that exceeds its run limit ends as timed out"],
  ["timeout.not-early", "2.3", "No job is timed out before its run limit"],
  ["timeout.not-late", "2.3", "A job is timed out soon after its run limit"],
  ["timeout.free", "1.4", "A timed-out job costs nothing"],
  ["timeout.under-load", "8", "Timeouts hold under load"],
  ["cancel.queued", "3.2", "A queued job can be cancelled and then never runs"],
  ["cancel.not-running", "3.2", "A running job is not cancelled"],
  ["cancel.not-terminal", "3.2", "Cancelling an ended job changes nothing"],
  ["webhook.delivered", "6", "Every job that ends is delivered to its webhook", RECEIVER],
  ["webhook.not-before-terminal", "6", "No webhook is sent before the job has ended", RECEIVER],
  ["webhook.body", "6", "A delivery has the documented fields", RECEIVER],
  ["webhook.truthful", "6", "A delivery matches what the job endpoint returns", RECEIVER],
  ["webhook.signed", "5", "Deliveries are signed", RECEIVER],
  ["webhook.once", "6", "A delivery answered 200 is not sent again", RECEIVER],
  ["webhook.retried", "6", "A failed delivery is retried", RECEIVER],
  ["webhook.wait-1", "6", "The first retry comes after 5 s", RECEIVER],
  ["webhook.wait-2", "6", "The second retry comes 30 s after the first", RECEIVER],
  ["webhook.wait-3", "6", "The third retry comes 5 min after the second", RECEIVER],
  ["webhook.gives-up", "6", "There is no fourth retry", RECEIVER],
  ["webhook.answer-time", "6", "An answer counts within 10 s, and not after", RECEIVER],
  ["webhook.recovers", "6", "A retry answered 200 ends the retries", RECEIVER],
  ["webhook.only-asked", "6", "A job without a webhook is not delivered", RECEIVER],
  ["webhook.result", "6", "The delivery of a completed job has the job's result", RECEIVER],
  ["rate.limited", "7", "Requests above the limit are answered 429"],
  ["rate.sustained", "8", "The sustained rate is the plan's"],
  ["rate.burst", "8", "A rested key gets the plan's burst"],
  ["rate.within-plan", "8", "A client within its plan limits never receives 429"],
  ["rate.retry-after-present", "7", "Every 429 has a Retry-After header"],
  ["rate.retry-after-valid", "7", "Retry-After is a number of seconds or an HTTP date", STANDARD],
  ["rate.retry-after-sufficient", "7", "A client that waits for Retry-After is admitted", STANDARD],
  ["rate.retry-after-not-excessive", "7", "Retry-After is not much longer than needed", OBJECTIVE],
  ["rate.per-key", "8", "One key's traffic does not use up another key's limit"],
  ["rate.all-endpoints", "8", "All endpoints share one limit per key"],
  ["rate.rejected-not-run", "7", "A submission answered 429 starts no job"],
  ["load.no-losses", "1", "Every job accepted in a soak is accounted for"],
  ["load.throughput", "1", "Completed jobs per second meet the objective", OBJECTIVE],
  ["load.latency", "1", "Submit latency and queue wait meet the objective", OBJECTIVE],
  ["load.errors", "7", "The error rate under load meets the objective", OBJECTIVE],
  ["load.webhooks", "6", "Every webhook of a soak is delivered", RECEIVER],
  ["load.accounting", "1.4", "The balance falls by what the jobs cost"],
  ["load.stable", "1", "Latency, throughput and errors do not drift under load", OBJECTIVE],
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
