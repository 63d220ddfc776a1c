/**
 * One request of the probe and what came of it: a single attempt, no redirect followed, every time
 * limit explicit, the body capped and never decompressed.
 */

import { Agent } from "undici";
import type { Exchange } from "../../contract/exchange.ts";
import type { RouteName } from "../../contract/routes.ts";
import { API_KEY_HEADER, routePath } from "../../contract/routes.ts";
import type { Clock } from "../clock.ts";
import { transportError } from "./transport-error.ts";

/** Ours: a service that takes longer than this to answer a small request is as good as away. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Ours: no answer of the service is near this size; an endless one must not fill memory. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Ours: a share of the plan's rate needs few; thousands of jobs in flight need some more. */
const CONNECTIONS_MAX = 64;

export interface ProbeRequest {
  method?: "GET" | "POST" | "DELETE" | "PATCH" | "PUT";
  route: RouteName;
  /** Value of the route's parameter: a worker or a job. */
  parameter?: string;
  body?: unknown;
  /** The answer is waited for no longer than this, whatever the client's own limit. */
  timeoutMs?: number;
}

export interface Client {
  /** Never rejects: what went wrong is in the exchange. */
  send(request: ProbeRequest): Promise<Exchange>;
  close(): Promise<void>;
}

export interface ClientOptions {
  baseUrl: string;
  /** The name under which exchanges list the key, and its value. */
  key: { name: string; value: string };
  clock: Clock;
}

export function createClient(options: ClientOptions): Client {
  const agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    connections: CONNECTIONS_MAX,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  return {
    send: (asked) => send(agent, options, asked),
    close: () => agent.destroy(),
  };
}

async function send(
  agent: Agent,
  { baseUrl, key, clock }: ClientOptions,
  asked: ProbeRequest,
): Promise<Exchange> {
  const method = asked.method ?? "GET";
  const path = pathOf(asked);
  const requestBody = asked.body === undefined ? null : JSON.stringify(asked.body);
  const sentAtMs = clock.nowMs();
  const common = { method, route: asked.route, path, key: key.name, requestBody, sentAtMs };
  const limitMs = Math.min(asked.timeoutMs ?? ANSWER_TIMEOUT_MS, ANSWER_TIMEOUT_MS);
  try {
    const { origin, pathname } = new URL(baseUrl);
    const answer = await agent.request({
      method,
      origin,
      // Sent as it stands: in a URL an identifier such as ".." would be taken for a step upwards.
      path: pathname.replace(/\/$/, "") + path,
      headers: headersOf(key.value, requestBody),
      body: requestBody,
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
    });
    const body = await readCapped(answer.body);
    const { statusCode: status } = answer;
    const headers = flattened(answer.headers);
    return { ...common, status, headers, body, error: null, receivedAtMs: clock.nowMs() };
  } catch (error) {
    const failure = transportError(error);
    const nothing = { status: 0, headers: {}, body: "" };
    return { ...common, ...nothing, error: failure, receivedAtMs: clock.nowMs() };
  }
}

/** An identifier with half a character can't be encoded: it is sent with a sign in its place. */
function pathOf({ route, parameter }: ProbeRequest): string {
  return routePath(route, parameter?.toWellFormed());
}

/** Compressed answers are not asked for: what is never unpacked can't blow up. */
function headersOf(key: string, body: string | null): Record<string, string> {
  const always = { accept: "application/json", "accept-encoding": "identity" };
  const headers = { ...always, [API_KEY_HEADER]: key };
  return body === null ? headers : { ...headers, "content-type": "application/json" };
}

class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";
}

/** Of a longer body no part is of use: it is no answer of the service's. */
async function readCapped(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) throw new BodyTooLong(`a body of more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function flattened(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
