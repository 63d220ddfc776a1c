/** The net of the gate's own witnesses in the simulation. */

import type { WitnessNet } from "../gate/witnesses/witness.ts";
import type { Client } from "../http/client.ts";
import { askedOf, headersOf } from "../http/request.ts";
import type { Route } from "./http.ts";
import { exchange } from "./http.ts";
import type { Machine } from "./machine.ts";

/** As of the gate's own client. */
const TIMEOUT_MS = 15_000;

export function simulatedNet({ clock }: Machine, route: Route): WitnessNet {
  const nowMs = () => clock.nowMs();
  const createClient = (baseUrl: string): Client => ({
    send: (request) =>
      new Promise((resolve) => {
        const asked = { ...askedOf(request), sentAtMs: nowMs() };
        const url = baseUrl + asked.path;
        const sent = {
          headers: headersOf(request),
          body: asked.requestBody,
          timeoutMs: TIMEOUT_MS,
        };
        exchange(route, { method: asked.method, url, ...sent }, nowMs(), (answer) => {
          const { status, headers, body, error } = answer;
          resolve({ ...asked, status, headers, body, error, receivedAtMs: nowMs() });
        });
      }),
    close: async () => {},
  });
  return { nowMs, sleep: (ms) => clock.sleep(ms), createClient };
}
