/** The clients of the suite's programs in Node, over the simulated network. */

import type { Exchange } from "../contract/exchange.ts";
import { API_KEY_HEADER, routePath } from "../contract/routes.ts";
import type { ClientRequest as NodeRequest } from "../http/client.ts";
import type { ProbeRequest } from "../probe/client/client.ts";
import type { ClientAnswer, ClientRequest } from "./http.ts";

/** As of the real clients: what an answer is waited for at the most. */
export const TIMEOUT_MS = 15_000;

export interface NodeClientParts {
  baseUrl: string;
  nowMs: () => number;
  ask: (request: ClientRequest) => Promise<ClientAnswer>;
}

/** Of the gate's client and of the probe's. */
type Request = ProbeRequest & Pick<NodeRequest, "key" | "keyHeader">;

/** One attempt; what went wrong is in the exchange. */
export async function sendAs(
  { baseUrl, nowMs, ask }: NodeClientParts,
  { method = "GET", route, parameter, query, key, keyHeader, body, timeoutMs }: Request,
): Promise<Exchange> {
  const path = routePath(route, parameter?.toWellFormed()) + (query ? `?${query}` : "");
  const sentAtMs = nowMs();
  const requestBody = body === undefined ? null : JSON.stringify(body);
  const headers = key === null ? {} : { [keyHeader ?? API_KEY_HEADER]: key.value };
  const limitMs = Math.min(timeoutMs ?? TIMEOUT_MS, TIMEOUT_MS);
  const url = baseUrl + path;
  const answer = await ask({ method, url, headers, body: requestBody, timeoutMs: limitMs });
  const asked = { method, route, path, key: key?.name ?? null, requestBody };
  const { status, headers: received, body: text, error } = answer;
  const seen = { status, headers: received, body: text, error };
  return { ...asked, ...seen, sentAtMs, receivedAtMs: nowMs() };
}
