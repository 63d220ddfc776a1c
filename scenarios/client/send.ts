/** Sends one request and returns what came back, whatever that is: no retries, no redirects. */

import type { Exchange } from "../../contract/requests/exchange.ts";
import { asRead } from "../../contract/requests/exchange.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { API_KEY_HEADER, ROUTES, routePath } from "../../contract/requests/routes.ts";
import { TRACE_BYTES, traceContext } from "../../contract/requests/trace.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { World } from "../world/world.ts";
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
  /** How long the answer is waited for; left out: as for all others. */
  timeoutMs?: number;
  /** What the client says it can read; left out: JSON. RFC 9110 §12.5.1. */
  accept?: string;
  /** Whether its connection closes with the answer. RFC 9112 §9.6. */
  closes?: boolean;
}

/** As programs say that name no form; frameworks lead some of them to a page, as they do people. */
export const ANY_FORM = "*/*";

/** One attempt. Resolves always: a transport error is part of the exchange. */
export async function send(world: World, plan: RunPlan, call: Call): Promise<Exchange> {
  const trace = plan.trace === true ? traceContext(world.randomBytes(TRACE_BYTES)) : null;
  const { method, route, path, key, requestBody } = saidIn(call);
  const wire = wireOf(world, plan, call);
  if (trace !== null) wire.headers.traceparent = trace.traceparent;
  const sentAtMs = world.now();
  const response = asRead(await world.request(wire));
  const { status, headers, error, transportMs, bodyMs, isReused } = response;
  // Member by member: to spread an object takes k6 as long as a dozen of them.
  const exchange: Exchange = {
    method,
    route,
    path,
    key,
    requestBody,
    status,
    headers,
    body: withoutValue(response.body, call.foreignKeyValue ?? ""),
    error,
    transportMs,
    bodyMs,
    isReused,
    sentAtMs,
    receivedAtMs: world.now(),
  };
  if (trace !== null) exchange.traceId = trace.traceId;
  return exchange;
}

/**
 * The same with a key of the plan, time and again: each call of what is returned is one attempt,
 * and comes once the one before was answered. Traces, of which each request has its own, take as
 * long as one by one.
 */
export function prepareSend(
  world: World,
  plan: RunPlan,
  call: Call & { key: string },
  onAnswered: (exchange: Exchange) => void,
): () => void {
  if (plan.trace === true) return () => void send(world, plan, call).then(onAnswered);
  const { method, route, path, key, requestBody } = saidIn(call);
  let sentAtMs = 0;
  const sendOnce = world.prepare(wireOf(world, plan, call), (answer) => {
    const receivedAtMs = world.now();
    const { status, headers, body, error, transportMs } = asRead(answer);
    const said = { method, route, path, key, requestBody, status, headers, body, error };
    onAnswered({ ...said, sentAtMs, receivedAtMs, transportMs });
  });
  return () => {
    sentAtMs = world.now();
    sendOnce();
  };
}

function wireOf(world: World, plan: RunPlan, call: Call) {
  return {
    method: call.method,
    url: plan.baseUrl + pathOf(call),
    headers: headersOf(world, plan, call),
    body: call.body ?? null,
    timeoutMs: call.timeoutMs ?? REQUEST_TIMEOUT_MS,
    name: `${call.method} ${ROUTES[call.route]}`,
  };
}

function saidIn(call: Call) {
  const { method, route, foreignKeyValue, body: requestBody = null } = call;
  // Whoever reads what was answered takes it for that key's.
  const key = foreignKeyValue === undefined ? call.key : null;
  return { method, route, path: pathOf(call), key, requestBody };
}

function pathOf({ route, parameter, query }: Call): string {
  return routePath(route, parameter) + (query ? `?${query}` : "");
}

/** A service may quote the key that it refuses, and that may be almost a real one. */
function withoutValue(body: string, value: string): string {
  if (value === "" || !body.toLowerCase().includes(value.toLowerCase())) return body;
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return body.replace(new RegExp(escaped, "gi"), "[redacted]");
}

function headersOf(world: World, plan: RunPlan, call: Call): Record<string, string> {
  const headers: Record<string, string> = { Accept: call.accept ?? "application/json" };
  if (call.closes === true) headers.Connection = "close";
  if (call.body != null) headers["Content-Type"] = "application/json";
  if (call.foreignKeyValue !== undefined) headers[API_KEY_HEADER] = call.foreignKeyValue;
  else if (call.key !== null) headers[API_KEY_HEADER] = keyValue(world, planKey(plan, call.key));
  return headers;
}
