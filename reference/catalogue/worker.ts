/** What a worker of the embedded service is, and what a run of it yields. */

import type { Json } from "../../contract/verdict.ts";

export type JsonObject = { readonly [key: string]: Json };

export type Outcome =
  | { kind: "object"; data: JsonObject }
  | { kind: "list"; items: readonly JsonObject[] }
  | { kind: "empty" };

export interface FileDraft {
  name: string;
  contentType: string;
  text: string;
}

export interface JobError {
  code: string;
  message: string;
}

export interface Performance {
  outcome: Outcome;
  meta: JsonObject;
  files: readonly FileDraft[];
  /** Set when the run fails; nothing else counts then. */
  error: JobError | null;
}

export interface Worker {
  id: string;
  name: string;
  category: string;
  tags: readonly string[];
  shortDescription: string;
  readme: string | null;
  billing: "run" | "event";
  /** Price of a run, or of one event. */
  priceMicroUsd: number;
  infraMicroUsd: number;
  timeoutSeconds: number;
  /** Runs of this worker at once; the next ones queue. */
  concurrency: number;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  /** Accounts that deployed it themselves and may publish it; null for the marketplace's own. */
  owners: readonly string[] | null;
  /** Stated duration of a run, in seconds of the service's scaled clock. */
  runSeconds(input: JsonObject): number;
  perform(input: JsonObject): Performance;
  /** Billed events of a run. */
  events(input: JsonObject): number;
}

const NOTHING: Performance = { outcome: { kind: "empty" }, meta: {}, files: [], error: null };

export function yields(outcome: Outcome, rest: Partial<Performance> = {}): Performance {
  return { ...NOTHING, outcome, ...rest };
}

/** Price of a whole run of this input, before anything is known of its end. */
export function runPrice(worker: Worker, input: JsonObject): number {
  const units = worker.billing === "event" ? worker.events(input) : 1;
  return units * worker.priceMicroUsd;
}
