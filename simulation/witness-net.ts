/** The net of the gate's own witnesses in the simulation. */

import type { WitnessNet } from "../gate/witnesses/witness.ts";
import type { ClientAnswer, ClientRequest, Route } from "./http.ts";
import { exchange } from "./http.ts";
import type { Machine } from "./machine.ts";
import { sendAs, TIMEOUT_MS } from "./node-client.ts";

export function simulatedNet({ clock }: Machine, route: Route): WitnessNet {
  const nowMs = () => clock.nowMs();
  const ask = (request: ClientRequest): Promise<ClientAnswer> =>
    new Promise((resolve) => {
      exchange(route, request, nowMs(), resolve);
    });
  return {
    nowMs,
    sleep: (ms) => clock.sleep(ms),
    createClient: (baseUrl) => ({
      send: (request) => sendAs({ baseUrl, nowMs, ask }, request),
      close: async () => {},
    }),
    async rawGet({ href: url }, headers) {
      const sentAtMs = nowMs();
      const given = { method: "GET", url, headers: Object.fromEntries(headers), body: null };
      const answer = await ask({ ...given, timeoutMs: TIMEOUT_MS });
      return { ...answer, sentAtMs, receivedAtMs: nowMs() };
    },
  };
}
