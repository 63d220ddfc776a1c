/**
 * One HTTP request and what came back: the observation that every judge of HTTP behaviour reads.
 */

import { jsonReader } from "../answers/json-body.ts";
import { NESTING_MAX, nestsTooDeep } from "../answers/nesting.ts";
import type { RouteName } from "./routes.ts";

/**
 * Closed set of what can go wrong before a complete answer is there. `local`: this machine had no
 * descriptor, port or buffer left to ask with; that nothing was sent says nothing of the service.
 * `unread`: an answer came, and is more than the suite reads; that says nothing of it, either.
 */
export const TRANSPORT_ERRORS = [
  "refused",
  "reset",
  "timeout",
  "dns",
  "tls",
  "local",
  "unread",
  "other",
] as const;
export type TransportError = (typeof TRANSPORT_ERRORS)[number];

/**
 * Times are milliseconds since the epoch on the observer's clock. `status` is 0 and `error` is set
 * when no complete answer arrived. Header names are lower case. `body` is the text of the answer.
 * The key itself is never part of an exchange, only the name under which the plan lists it.
 */
export interface Exchange {
  method: string;
  route: RouteName;
  path: string;
  key: string | null;
  requestBody: string | null;
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  error: TransportError | null;
  sentAtMs: number;
  receivedAtMs: number;
  /** What the transport itself measured, from a connection to the last byte; where it does. */
  transportMs?: number;
  /** From the first to the last byte of the answer; where the transport measures it. */
  bodyMs?: number;
  /** Sent on a connection that had served before; where the transport tells. */
  isReused?: boolean;
  /** Of the trace that the request was sent with; where traces were asked for. */
  traceId?: string;
}

/** The answer's body as JSON, not to be changed; `undefined` when it is not JSON. */
export const jsonBody: (exchange: Pick<Exchange, "body">) => unknown = jsonReader();

/**
 * Ours: so much of an answer is read, in characters or bytes: far more than a page of jobs, and a
 * part of what a line of evidence holds. How long an answer may be, nobody promises.
 */
export const BODY_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * What came back as it is read: of a body that is too long or nests too deep, nothing. An answer
 * that its status alone tells stays one, any other is none.
 */
export function asRead<Came extends Pick<Exchange, "status" | "headers" | "body" | "error">>(
  came: Came,
): Came {
  return came.body.length <= BODY_LENGTH_MAX && !nestsTooDeep(came.body) ? came : asUnread(came);
}

/** The same as asRead makes of what is too long. */
export function asUnread<Came extends Pick<Exchange, "status" | "headers" | "body" | "error">>(
  came: Came,
): Came {
  if (isDisturbed(came)) return { ...came, body: "" };
  return { ...came, status: 0, headers: {}, body: "", error: "unread" };
}

/** Ours: a refusal takes a round trip; whoever sends none is asked again after 1 s, then 3 s. */
const UNREFUSED_MS = 2_000;

/** Whether nobody took the connection, nor refused it: a firewall, or a machine that is off. */
export function isUnconnected(
  request: Pick<Exchange, "error" | "sentAtMs" | "receivedAtMs">,
): boolean {
  return request.error === "refused" && request.receivedAtMs - request.sentAtMs >= UNREFUSED_MS;
}

/** Of a request that got no answer, or none that was read. */
export function errorText(error: TransportError | null): string {
  if (error === "unread") {
    const size = "a response of more than 8 MB, alone or with others";
    return `${size}, or that nests deeper than ${NESTING_MAX} levels`;
  }
  if (error === "dns") return "no response (dns: this machine did not find the service's address)";
  return `no response (${error ?? "no status"})`;
}

export function isSuccess({ status }: Pick<Exchange, "status">): boolean {
  return status >= 200 && status < 300;
}

export function isClientError({ status }: Pick<Exchange, "status">): boolean {
  return status >= 400 && status < 500;
}

/** What was asked for is not there, or no longer. */
export function isGone({ status }: Pick<Exchange, "status">): boolean {
  return status === 404 || status === 410;
}

/**
 * Whether the service had answered the one before it was asked the other: overlapping answers can
 * arrive in any order, and say nothing of what came first.
 */
export function isBefore(
  earlier: Pick<Exchange, "receivedAtMs">,
  later: Pick<Exchange, "sentAtMs">,
): boolean {
  return earlier.receivedAtMs <= later.sentAtMs;
}

/** Without the wait for the observer's own turn, where the transport measures it. */
export function tookMsOf({
  transportMs,
  sentAtMs,
  receivedAtMs,
}: Pick<Exchange, "transportMs" | "sentAtMs" | "receivedAtMs">): number {
  return transportMs ?? receivedAtMs - sentAtMs;
}

/** An answer that the service owes nothing about: no answer at all, a 5xx, or a 429. */
export function isDisturbed({ status }: Pick<Exchange, "status">): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Those of the answer's headers that are named. */
export function headersNamed(
  { headers }: Pick<Exchange, "headers">,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
