/** Sends one request and returns what came back, whatever that is: no retries, no redirects. */

import type { RefinedParams, RefinedResponse } from "k6/http";
import http from "k6/http";
import type { Exchange, TransportError } from "../../contract/exchange.ts";
import type { RouteName } from "../../contract/routes.ts";
import { API_KEY_HEADER, ROUTES, routePath } from "../../contract/routes.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import { now } from "./clock.ts";
import { keyValue, planKey } from "./plan.ts";

/** Ours: no answer of the interface takes this long, as submission does not wait for the run. */
const REQUEST_TIMEOUT_MS = 15_000;

export interface Call {
  method: string;
  route: RouteName;
  /** worker_id or job_uuid, for the routes that have one. */
  parameter?: string;
  /** Query without the question mark, encoded already. */
  query?: string;
  /** Name of a key of the plan; null sends none. */
  key: string | null;
  /** A key value that is not in the plan, such as one that nobody was given. */
  foreignKeyValue?: string;
  /** Sent as it is, as application/json; null sends no body. */
  body?: string | null;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

/** One attempt. Resolves always: a transport error is part of the exchange. */
export async function send(plan: RunPlan, call: Call): Promise<Exchange> {
  const path = routePath(call.route, call.parameter) + (call.query ? `?${call.query}` : "");
  const body = call.body ?? null;
  const sentAtMs = now();
  const response = await http.asyncRequest(
    call.method,
    plan.baseUrl + path,
    body,
    requestParams(plan, call),
  );
  const error = transportError(response);
  return {
    method: call.method,
    route: call.route,
    path,
    key: call.key,
    requestBody: body,
    status: error === null ? response.status : 0,
    headers: lowerCased(response.headers),
    body: error === null && typeof response.body === "string" ? response.body : "",
    error,
    sentAtMs,
    receivedAtMs: now(),
    transportMs: transportMs(response),
    bodyMs: response.timings.receiving,
    isReused: response.timings.connecting === 0,
  };
}

function transportMs({ timings }: RefinedResponse<"text">): number {
  return timings.blocked + timings.connecting + timings.tls_handshaking + timings.duration;
}

function requestParams(plan: RunPlan, call: Call): RefinedParams<"text"> {
  const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
  if (call.body != null) headers["Content-Type"] ??= "application/json";
  if (call.foreignKeyValue !== undefined) headers[API_KEY_HEADER] = call.foreignKeyValue;
  else if (call.key !== null) headers[API_KEY_HEADER] = keyValue(planKey(plan, call.key));
  return {
    headers,
    redirects: 0,
    responseType: "text",
    timeout: call.timeoutMs ?? REQUEST_TIMEOUT_MS,
    tags: { name: `${call.method} ${ROUTES[call.route]}` },
  };
}

/**
 * k6 error codes: 1050 time-out, 11xx DNS, 1212 refused, 1220 reset, 13xx TLS; 14xx and 15xx only
 * repeat an HTTP status. Source: k6 documentation, "Error codes".
 */
function transportError(response: RefinedResponse<"text">): TransportError | null {
  const code = response.error_code;
  if (code === 0 || (code >= 1400 && code < 1600)) return null;
  if (code === 1050 || code === 1211) return "timeout";
  if (code >= 1100 && code < 1200) return "dns";
  if (code === 1212) return "refused";
  if (code === 1220 || code === 1201) return "reset";
  if (code >= 1300 && code < 1400) return "tls";
  return "other";
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? "";
  return result;
}
