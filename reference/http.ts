/** Requests and answers as the service's decisions see them, apart from any HTTP library. */

import type { RouteName } from "../contract/requests/routes.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import type { Worker } from "./catalogue/worker.ts";
import type { Job } from "./jobs/job.ts";

/** A request as it came, before anybody knows what it asks for. */
export interface RawRequest {
  method: string;
  /** As it was sent: percent-encoded, and without its query. */
  path: string;
  /** What follows the question mark, or "". */
  query: string;
  body: string;
  /** Names and values in turn, in the spelling of the client. */
  rawHeaders: readonly string[];
  /** The same object for all requests of one connection. */
  connection: object;
}

export interface RequestFacts {
  method: string;
  /** null: no endpoint of the service. */
  route: RouteName | null;
  /** The path's one parameter, or "". */
  parameter: string;
  query: Readonly<Record<string, string | undefined>>;
  body: string;
  apiKey: string | undefined;
  /** Names and values in turn, in the spelling of the client. */
  rawHeaders: readonly string[];
  /** The same object for all requests of one connection. */
  connection: object;
}

/** Why an answer is what it is. */
export type Reason =
  | "served"
  | "accepted"
  | "missing-key"
  | "invalid-key"
  | "revoked-key"
  | "rate-limited"
  | "unknown-route"
  | "unknown-worker"
  | "unknown-job"
  | "malformed"
  | "missing-field"
  | "schema-violation"
  | "insufficient-credits"
  | "cancelled"
  | "cancel-refused";

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON of the body; undefined for an empty one. A `text` goes out in its place. */
  body: unknown;
  text?: string;
  /** How it is sent; healthy services know `whole` alone. */
  delivery?: "whole" | "reset" | "drip";
}

/** An answer, and the milliseconds that it is held back. */
export interface Outcome {
  answer: Answer;
  delayMs: number;
}

/** The answer's body as it is sent; undefined for an empty one. */
export function textOf({ text, body }: Answer): string | undefined {
  return text ?? (body === undefined ? undefined : JSON.stringify(body));
}

/** What is known of a request when its answer is ready. */
export interface AnswerContext {
  request: RequestFacts;
  reason: Reason;
  key: ReferenceKey | null;
  worker: Worker | null;
  job: Job | null;
}

export type Reply = [Answer, Omit<AnswerContext, "request" | "key">];
