/** The client of the suite's programs in Node, over the simulated network. */

import { asRead } from "../contract/requests/exchange.ts";
import type { Client } from "../http/client.ts";
import { askedOf, headersOf } from "../http/request.ts";
import type { ClientAnswer, ClientRequest } from "./http.ts";

/** As of the real client: what an answer is waited for at the most. */
const TIMEOUT_MS = 15_000;

interface NodeClientParts {
  baseUrl: string;
  nowMs: () => number;
  ask: (request: ClientRequest) => Promise<ClientAnswer>;
  answerTimeoutMs?: number;
}

export function nodeClient({
  baseUrl,
  nowMs,
  ask,
  answerTimeoutMs = TIMEOUT_MS,
}: NodeClientParts): Client {
  return {
    async send(request) {
      const asked = { ...askedOf(request), sentAtMs: nowMs() };
      const { status, headers, body, error } = asRead(
        await ask({
          method: asked.method,
          url: baseUrl + asked.path,
          headers: headersOf(request),
          body: asked.requestBody,
          timeoutMs: Math.min(request.timeoutMs ?? answerTimeoutMs, answerTimeoutMs),
        }),
      );
      return { ...asked, status, headers, body, error, receivedAtMs: nowMs() };
    },
    close: async () => {},
  };
}
