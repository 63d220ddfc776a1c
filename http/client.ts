/**
 * One request of the suite's own, made outside k6, and what came of it: a single attempt, no
 * redirect followed, every time limit explicit, the body capped.
 */

import { performance } from "node:perf_hooks";
import { Agent, request } from "undici";

import type { Exchange } from "../contract/exchange.ts";
import type { RouteName } from "../contract/routes.ts";
import { API_KEY_HEADER, routePath } from "../contract/routes.ts";
import { transportError } from "../contract/transport-error.ts";
import type { Json } from "../contract/verdict.ts";
import { flattened } from "./headers.ts";
import { unpacked } from "./unpack.ts";

/** Ours: a service that takes longer than this to answer a small GET is as good as away. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Ours: no answer of the service is near this size; an endless one must not fill memory. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

export interface ClientRequest {
  method?: "GET" | "POST";
  route: RouteName;
  /** Value of the route's parameter: a worker or a job. */
  parameter?: string;
  /** Query without the question mark, encoded already. */
  query?: string;
  /** Name of the key, as the exchange records it, and its value. */
  key: { name: string; value: string } | null;
  /** Spelling of the key header; the client sends it as it is written here. */
  keyHeader?: string;
  /** Sent as JSON. */
  body?: Json;
  signal?: AbortSignal;
}

export interface Client {
  /** Rejects only when the caller's own signal ends the request; all else is in the exchange. */
  send(request: ClientRequest): Promise<Exchange>;
  close(): Promise<void>;
}

export function createClient(baseUrl: string): Client {
  const agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  return {
    send: (options) => send(agent, baseUrl.replace(/\/+$/, ""), options),
    close: () => agent.destroy(),
  };
}

async function send(agent: Agent, baseUrl: string, options: ClientRequest): Promise<Exchange> {
  const method = options.method ?? "GET";
  const query = options.query ? `?${options.query}` : "";
  const path = routePath(options.route, options.parameter) + query;
  const sentAtMs = nowMs();
  const asked = { method, route: options.route, path, key: options.key?.name ?? null };
  const requestBody = options.body === undefined ? null : JSON.stringify(options.body);
  const common = { ...asked, requestBody, sentAtMs };
  const limit = AbortSignal.timeout(CONNECT_TIMEOUT_MS + ANSWER_TIMEOUT_MS);
  try {
    const answer = await request(baseUrl + path, {
      method,
      dispatcher: agent,
      headers: headersOf(options),
      body: requestBody,
      signal: options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]),
    });
    const headers = flattened(answer.headers);
    const packed = await readCapped(answer.body);
    const body = unpacked(packed, headers["content-encoding"], BODY_BYTES_MAX) ?? packed;
    return {
      ...common,
      status: answer.statusCode,
      headers,
      body: body.toString("utf8"),
      error: null,
      receivedAtMs: nowMs(),
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const failure = transportError(error);
    return { ...common, status: 0, headers: {}, body: "", error: failure, receivedAtMs: nowMs() };
  }
}

function headersOf(options: ClientRequest): Record<string, string> {
  const type = options.body === undefined ? {} : { "content-type": "application/json" };
  const common = { accept: "application/json", "accept-encoding": "identity", ...type };
  if (options.key === null) return common;
  return { ...common, [options.keyHeader ?? API_KEY_HEADER]: options.key.value };
}

async function readCapped(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > BODY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX);
}

/** Wall clock of this process that never jumps while it runs. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
