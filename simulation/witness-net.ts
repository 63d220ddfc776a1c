/** The net of the gate's own witnesses in the simulation. */

import type { WitnessNet } from "../gate/witnesses/witness.ts";
import type { ClientAnswer, ClientRequest, Route } from "./http.ts";
import { exchange } from "./http.ts";
import type { Machine } from "./machine.ts";
import { nodeClient } from "./node-client.ts";

export function simulatedNet({ clock }: Machine, route: Route): WitnessNet {
  const nowMs = () => clock.nowMs();
  const ask = (request: ClientRequest): Promise<ClientAnswer> =>
    new Promise((resolve) => {
      exchange(route, request, nowMs(), resolve);
    });
  return {
    nowMs,
    sleep: (ms) => clock.sleep(ms),
    createClient: (baseUrl) => nodeClient({ baseUrl, nowMs, ask }),
  };
}
