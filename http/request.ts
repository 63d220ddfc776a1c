/** What a request of the suite's own looks like on the wire, whoever carries it. */

import type { Exchange } from "../contract/requests/exchange.ts";
import type { RouteName } from "../contract/requests/routes.ts";
import { API_KEY_HEADER, routePath, USER_AGENT } from "../contract/requests/routes.ts";
import type { TraceContext } from "../contract/requests/trace.ts";
import type { Secret } from "../contract/text/secret.ts";

export interface ClientRequest {
  method?: "GET" | "POST" | "DELETE" | "PATCH" | "PUT";
  route: RouteName;
  /** Value of the route's parameter: a worker or a job. */
  parameter?: string;
  /** Query without the question mark, encoded already. */
  query?: string;
  /** Name of the key, as the exchange records it, and its value. */
  key: { name: string; value: Secret } | null;
  /** Spelling of the key header; it is sent as it is written here. */
  keyHeader?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** The answer is waited for no longer than this, whatever the client's own limit. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The trace that it belongs to; left out: none. */
  trace?: TraceContext;
}

type Asked = Pick<Exchange, "route" | "path" | "key" | "requestBody" | "traceId"> & {
  method: NonNullable<ClientRequest["method"]>;
};

/** How an exchange lists the request. */
export function askedOf({
  method = "GET",
  route,
  parameter,
  query,
  key,
  body,
  trace,
}: ClientRequest): Asked {
  // An identifier with half a character can't be encoded: it is sent with a sign in its place.
  const path = routePath(route, parameter?.toWellFormed()) + (query ? `?${query}` : "");
  const requestBody = body === undefined ? null : JSON.stringify(body);
  const asked = { method, route, path, key: key?.name ?? null, requestBody };
  return trace === undefined ? asked : { ...asked, traceId: trace.traceId };
}

/** Packed answers are not asked for: small ones gain nothing by it. */
export function headersOf({ key, keyHeader, body, trace }: ClientRequest): Record<string, string> {
  return {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": USER_AGENT,
    ...(key === null ? {} : { [keyHeader ?? API_KEY_HEADER]: key.value.reveal() }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(trace === undefined ? {} : { traceparent: trace.traceparent }),
  };
}
