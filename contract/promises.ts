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

export const PROMISES = [
  {
    id: "auth.missing-key",
    section: "5",
    basis: "spec",
    witnesses: ["k6"],
    title: "A request that names no key is refused with 401",
  },
  {
    id: "auth.invalid-key",
    section: "5",
    basis: "spec",
    witnesses: ["k6"],
    title: "A key that nobody was given is refused with 401",
  },
  {
    id: "auth.revoked-key",
    section: "5",
    basis: "spec",
    witnesses: ["k6"],
    title: "A revoked key is refused with 401",
  },
  {
    id: "auth.error-body",
    section: "7",
    basis: "spec",
    witnesses: ["k6"],
    title: "The body of a 401 has error, message and status",
  },
  {
    id: "auth.header-case",
    section: "5",
    basis: "spec",
    witnesses: ["node"],
    title: "The key header counts in any letter case",
  },
  {
    id: "auth.every-endpoint",
    section: "4",
    basis: "spec",
    witnesses: ["k6"],
    title: "No endpoint but the worker list serves strangers",
  },
  {
    id: "account.readable",
    section: "4.8",
    basis: "spec",
    witnesses: ["k6"],
    title: "Account, credits and deployments can be read as JSON",
  },
  {
    id: "workers.list-shape",
    section: "2.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "The worker list has the documented fields",
  },
  {
    id: "workers.category-filter",
    section: "4.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "Filtering by category leaves only that category",
  },
  {
    id: "workers.text-filter",
    section: "4.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "A text query finds a worker by name and leaves others out",
  },
  {
    id: "workers.detail-shape",
    section: "2.3",
    basis: "spec",
    witnesses: ["k6", "node"],
    title: "A worker's detail has a run limit and a valid input schema",
  },
  {
    id: "workers.unknown",
    section: "4.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "A worker that does not exist is 404",
  },
  {
    id: "workers.publish",
    section: "4.7",
    basis: "spec",
    witnesses: ["k6"],
    title: "An own worker can be published, an unknown one is 404",
  },
  {
    id: "submit.accepted-status",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "An accepted job is answered 202",
  },
  {
    id: "submit.accepted-shape",
    section: "2.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "The accepted object has the documented fields",
  },
  {
    id: "submit.unique-id",
    section: "2.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "No two jobs share an identifier",
  },
  {
    id: "submit.asynchronous",
    section: "1.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "Submitting does not wait for the run",
  },
  {
    id: "submit.control-parameters",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "webhook and priority are welcome beside any input",
  },
  {
    id: "submit.malformed",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "A body that is no JSON object is 400",
  },
  {
    id: "submit.missing-field",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "A body without a required field is 400",
  },
  {
    id: "submit.schema-violation",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "A field that breaks the input schema is 422",
  },
  {
    id: "submit.insufficient-credits",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "An account without credits is told 402",
  },
  {
    id: "submit.rejected-runs-nothing",
    section: "4.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "A refused submission neither runs nor costs",
  },
  {
    id: "job.shape",
    section: "2.5",
    basis: "spec",
    witnesses: ["k6"],
    title: "The job object is that of one variant, always the same",
  },
  {
    id: "job.same-id",
    section: "4.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "A job is returned under the identifier it was issued with",
  },
  {
    id: "job.unknown",
    section: "4.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "A job that does not exist is 404",
  },
  {
    id: "job.never-lost",
    section: "3.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "An accepted job stays readable and ends",
  },
  {
    id: "job.known-states",
    section: "3.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "Only documented states, in one spelling",
  },
  {
    id: "job.forward-only",
    section: "3.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "A job never steps back",
  },
  {
    id: "job.terminal-final",
    section: "3.1",
    basis: "spec",
    witnesses: ["k6"],
    title: "An ended job never changes again",
  },
  {
    id: "job.result-present",
    section: "2.6",
    basis: "spec",
    witnesses: ["k6"],
    title: "A completed job has its result",
  },
  {
    id: "job.error-only-on-failure",
    section: "7",
    basis: "spec",
    witnesses: ["k6"],
    title: "Failed jobs have an error, all others have none",
  },
  {
    id: "job.timestamps",
    section: "2.5",
    basis: "spec",
    witnesses: ["k6"],
    title: "Timestamps are UTC, in order, and not in the future",
  },
  {
    id: "job.duration",
    section: "2.5",
    basis: "spec",
    witnesses: ["k6"],
    title: "The stated duration is the true one",
  },
  {
    id: "job.files",
    section: "2.7",
    basis: "spec",
    witnesses: ["k6"],
    title: "File entries have the documented fields",
    variants: ["B"],
  },
  {
    id: "job.cost",
    section: "2.8",
    basis: "spec",
    witnesses: ["k6"],
    title: "Costs are not negative and add up",
  },
  {
    id: "job.list-limit",
    section: "4.5",
    basis: "spec",
    witnesses: ["k6"],
    title: "The job list holds the latest 100 and no more",
  },
  {
    id: "job.list-own",
    section: "4.5",
    basis: "spec",
    witnesses: ["k6"],
    title: "The job list shows one's own new job and nobody else's",
  },
  {
    id: "timeout.fires",
    section: "3.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "A job that runs too long ends as timed out",
  },
  {
    id: "timeout.not-early",
    section: "2.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "No job is cut off before its limit",
  },
  {
    id: "timeout.not-late",
    section: "2.3",
    basis: "spec",
    witnesses: ["k6"],
    title: "A job is cut off soon after its limit",
  },
  {
    id: "timeout.free",
    section: "1.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "A timed-out job costs nothing",
  },
  {
    id: "timeout.under-load",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "Timeouts hold under load as well",
  },
  {
    id: "cancel.queued",
    section: "3.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "A queued job can be cancelled and then never runs",
  },
  {
    id: "cancel.not-running",
    section: "3.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "A running job is not cancelled",
  },
  {
    id: "cancel.not-terminal",
    section: "3.2",
    basis: "spec",
    witnesses: ["k6"],
    title: "Cancelling an ended job changes nothing",
  },
  {
    id: "webhook.delivered",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "Each end of a job is delivered",
  },
  {
    id: "webhook.not-before-terminal",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "Nothing is delivered before the end",
  },
  {
    id: "webhook.body",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A delivery has the documented fields",
  },
  {
    id: "webhook.truthful",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A delivery says what the job endpoint says",
  },
  {
    id: "webhook.signed",
    section: "5",
    basis: "spec",
    witnesses: ["receiver"],
    title: "Deliveries are signed",
  },
  {
    id: "webhook.once",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A delivery answered 200 is not repeated",
  },
  {
    id: "webhook.retried",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A failed delivery is tried again",
  },
  {
    id: "webhook.wait-1",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "The first retry comes after 5 s",
  },
  {
    id: "webhook.wait-2",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "The second retry comes 30 s later",
  },
  {
    id: "webhook.wait-3",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "The third retry comes 5 min later",
  },
  {
    id: "webhook.gives-up",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "There is no fourth retry",
  },
  {
    id: "webhook.answer-time",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "An answer counts within 10 s, and not after",
  },
  {
    id: "webhook.recovers",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A retry answered 200 ends the series",
  },
  {
    id: "webhook.only-asked",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "A job without webhook delivers nothing",
  },
  {
    id: "rate.limited",
    section: "7",
    basis: "spec",
    witnesses: ["k6"],
    title: "Above the limit the answer is 429",
  },
  {
    id: "rate.sustained",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "The sustained rate is the plan's",
  },
  {
    id: "rate.burst",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "A rested key may burst as far as its plan says",
  },
  {
    id: "rate.within-plan",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "Who stays within the plan gets no 429",
  },
  {
    id: "rate.retry-after-present",
    section: "7",
    basis: "spec",
    witnesses: ["k6"],
    title: "Each 429 says when to come back",
  },
  {
    id: "rate.retry-after-valid",
    section: "7",
    basis: "standard",
    witnesses: ["k6"],
    title: "Retry-After is seconds or an HTTP date",
  },
  {
    id: "rate.retry-after-sufficient",
    section: "7",
    basis: "standard",
    witnesses: ["k6"],
    title: "Who waits as told is let in",
  },
  {
    id: "rate.retry-after-not-excessive",
    section: "7",
    basis: "objective",
    witnesses: ["k6"],
    title: "Nobody is told to wait much longer than needed",
  },
  {
    id: "rate.per-key",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "One key's excess is no other key's loss",
  },
  {
    id: "rate.all-endpoints",
    section: "8",
    basis: "spec",
    witnesses: ["k6"],
    title: "All endpoints draw on the key's one allowance",
  },
  {
    id: "rate.rejected-not-run",
    section: "7",
    basis: "spec",
    witnesses: ["k6"],
    title: "A submission answered 429 starts no job",
  },
  {
    id: "load.no-losses",
    section: "1",
    basis: "spec",
    witnesses: ["k6"],
    title: "Each job accepted in a soak is accounted for",
  },
  {
    id: "load.throughput",
    section: "1",
    basis: "objective",
    witnesses: ["k6"],
    title: "Completed jobs per second reach the objective",
  },
  {
    id: "load.latency",
    section: "1",
    basis: "objective",
    witnesses: ["k6"],
    title: "Submit answers and queue waits stay under the objective",
  },
  {
    id: "load.errors",
    section: "7",
    basis: "objective",
    witnesses: ["k6"],
    title: "Errors under load stay under the objective",
  },
  {
    id: "load.webhooks",
    section: "6",
    basis: "spec",
    witnesses: ["receiver"],
    title: "Each webhook of a soak is delivered",
  },
  {
    id: "load.accounting",
    section: "1.4",
    basis: "spec",
    witnesses: ["k6"],
    title: "The balance falls by what the jobs cost",
  },
  {
    id: "load.stable",
    section: "1",
    basis: "objective",
    witnesses: ["k6"],
    title: "Nothing drifts while the load lasts",
  },
] as const satisfies readonly PromiseEntry[];

export type PromiseId = (typeof PROMISES)[number]["id"];
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
