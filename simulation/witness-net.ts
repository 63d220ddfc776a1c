/** The net of the gate's own witnesses in the simulation. */

import type { WitnessNet } from "../gate/witnesses/witness.ts";
import type { Client } from "../http/client.ts";
import { askedOf, headersOf } from "../http/request.ts";
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
    async send(request) {
      const asked = { ...askedOf(request), sentAtMs: nowMs() };
      const { method, path, requestBody } = asked;
      const wire = { method, url: baseUrl + path, headers: headersOf(request), body: requestBody };
      const { status, headers, body, error } = await ask(wire);
      return { ...asked, status, headers, body, error, receivedAtMs: nowMs() };
    },
    close: async () => {},
  };
}
