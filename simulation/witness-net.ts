/** The net of the gate's own witnesses in the simulation. */

import type { WitnessNet } from "../gate/witnesses/witness.ts";
import { DOWNLOAD_HEADERS } from "../http/download.ts";
import type { ClientAnswer, ClientRequest, Route } from "./http.ts";
import { exchange, originOf, REFUSED } from "./http.ts";
import type { Machine } from "./machine.ts";
import { nodeClient } from "./node-client.ts";
import type { SimulatedService } from "./service.ts";

/** As of the real download. */
const DOWNLOAD_MS_MAX = 30_000;

/** Nobody but the service listens anywhere. */
export function simulatedNet(
  { clock }: Machine,
  route: Route,
  { baseUrl }: Pick<SimulatedService, "baseUrl">,
): WitnessNet {
  const nowMs = () => clock.nowMs();
  const ask = (request: ClientRequest): Promise<ClientAnswer> =>
    new Promise((resolve) => {
      if (originOf(request.url) === baseUrl) exchange(route, request, nowMs(), resolve);
      else resolve(REFUSED);
    });
  return {
    nowMs,
    sleep: (ms) => clock.sleep(ms),
    async download(url) {
      const { status, headers, body, error } = await ask({
        method: "GET",
        url,
        headers: DOWNLOAD_HEADERS,
        body: null,
        timeoutMs: DOWNLOAD_MS_MAX,
      });
      const bytes = status === 0 ? null : Buffer.byteLength(body);
      return { status, bytes, location: headers.location ?? null, error };
    },
    createClient: (baseUrl, options) => nodeClient({ baseUrl, nowMs, ask, ...options }),
  };
}
