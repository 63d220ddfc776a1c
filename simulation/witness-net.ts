/** The net of the gate's own witnesses in the simulation. */

import type { Exchange } from "../contract/exchange.ts";
import { API_KEY_HEADER, routePath } from "../contract/routes.ts";
import type { WitnessNet } from "../gate/witnesses/witness.ts";
import type { Client } from "../http/client.ts";
import type { ClientAnswer, ClientRequest, Route } from "./http.ts";
import { exchange } from "./http.ts";
import type { Machine } from "./machine.ts";

/** As of the gate's own client. */
const TIMEOUT_MS = 15_000;

export function simulatedNet({ clock }: Machine, route: Route): WitnessNet {
  const ask = (request: Omit<ClientRequest, "timeoutMs">): Promise<ClientAnswer> =>
    new Promise((resolve) => {
      exchange(route, { ...request, timeoutMs: TIMEOUT_MS }, clock.nowMs(), resolve);
    });
  return {
    nowMs: () => clock.nowMs(),
    sleep: (ms) => clock.sleep(ms),
    createClient: (baseUrl) => clientOf(baseUrl, ask, () => clock.nowMs()),
    async rawGet(url, headers) {
      const sentAtMs = clock.nowMs();
      const given = Object.fromEntries(headers);
      const answer = await ask({ method: "GET", url: url.href, headers: given, body: null });
      return { ...answer, sentAtMs, receivedAtMs: clock.nowMs() };
    },
  };
}

function clientOf(
  baseUrl: string,
  ask: (request: Omit<ClientRequest, "timeoutMs">) => Promise<ClientAnswer>,
  nowMs: () => number,
): Client {
  return {
    async send({
      method = "GET",
      route,
      parameter,
      query,
      key,
      keyHeader,
      body,
    }): Promise<Exchange> {
      const path = routePath(route, parameter) + (query ? `?${query}` : "");
      const sentAtMs = nowMs();
      const requestBody = body === undefined ? null : JSON.stringify(body);
      const headers = key === null ? {} : { [keyHeader ?? API_KEY_HEADER]: key.value };
      const answer = await ask({ method, url: baseUrl + path, headers, body: requestBody });
      const asked = { method, route, path, key: key?.name ?? null, requestBody };
      const { status, headers: received, body: text, error } = answer;
      const seen = { status, headers: received, body: text, error };
      return { ...asked, ...seen, sentAtMs, receivedAtMs: nowMs() };
    },
    close: async () => {},
  };
}
