/** Requests of a block: one attempt each, timed by the monotonic clock, with explicit limits. */

import { performance } from "node:perf_hooks";
import { Agent, request } from "undici";

import type { RouteName } from "../../contract/routes.ts";
import { API_KEY_HEADER, routePath } from "../../contract/routes.ts";
import type { Json } from "../../contract/verdict.ts";

/** Ours: no answer of the interface takes this long, as submission does not wait for the run. */
const REQUEST_LIMIT_MS = 15_000;
/** Ours: more than any job has; an endless answer must not fill the memory. */
const BODY_CHARS_MAX = 4 * 1024 * 1024;

export interface Answer {
  /** 0 where none came. */
  status: number;
  /** The body's JSON; undefined where it is none. */
  json: unknown;
  /** Text of the header, or null. */
  retryAfter: string | null;
  tookMs: number;
}

export interface Client {
  /** Rejects only when the caller's own signal ends the request. */
  send(method: "GET" | "POST", route: RouteName, parameter: string, body?: Json): Promise<Answer>;
  close(): Promise<void>;
}

export function createClient(baseUrl: string, key: string, signal: AbortSignal): Client {
  const agent = new Agent({
    connect: { timeout: REQUEST_LIMIT_MS },
    headersTimeout: REQUEST_LIMIT_MS,
    bodyTimeout: REQUEST_LIMIT_MS,
  });
  const origin = baseUrl.replace(/\/+$/, "");
  return {
    async send(method, route, parameter, body) {
      const startedMs = performance.now();
      const limits = [signal, AbortSignal.timeout(REQUEST_LIMIT_MS)];
      const type = body === undefined ? {} : { "content-type": "application/json" };
      try {
        const answer = await request(origin + routePath(route, parameter), {
          method,
          dispatcher: agent,
          headers: { accept: "application/json", [API_KEY_HEADER]: key, ...type },
          body: body === undefined ? null : JSON.stringify(body),
          signal: AbortSignal.any(limits),
        });
        const text = await cappedText(answer.body);
        const tookMs = performance.now() - startedMs;
        const retryAfter = answer.headers["retry-after"]?.toString() ?? null;
        return { status: answer.statusCode, json: parsed(text), retryAfter, tookMs };
      } catch {
        signal.throwIfAborted();
        const tookMs = performance.now() - startedMs;
        return { status: 0, json: undefined, retryAfter: null, tookMs };
      }
    },
    close: () => agent.destroy(),
  };
}

async function cappedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_CHARS_MAX) break;
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
