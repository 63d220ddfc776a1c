/** The embedded reference service: starts it, switches its faults, stops it. */

import { once } from "node:events";
import type { Server } from "node:http";
import { authority } from "../contract/requests/authority.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import { createRealClock } from "./clock.ts";
import { createCore } from "./core.ts";
import type { Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import type { Outcome, RawRequest } from "./http.ts";
import { fillOptions, type GivenOptions, type ReferenceOptions } from "./options.ts";
import { cryptoRandom } from "./random.ts";
import { adminOf } from "./routes/admin.ts";
import { createServer } from "./server.ts";
import type { FaultSwitches } from "./switchboard.ts";
import { reachOf } from "./webhooks/addresses.ts";
import { createHttpPost } from "./webhooks/http-post.ts";

export interface ReferenceService {
  baseUrl: string;
  options: ReferenceOptions;
  keys: ReferenceKey[];
  faults: FaultSwitches;
  close(): Promise<void>;
}

/**
 * Starts a service of its own: several can run side by side in one process. `others` are faults
 * that can be named beside those of the catalogue.
 */
export async function startReference(
  given: GivenOptions = {},
  others: readonly Fault[] = [],
): Promise<ReferenceService> {
  const options = fillOptions(given);
  const clock = createRealClock();
  const random = cryptoRandom();
  const webhooks = createHttpPost(clock, reachOf(options.host));
  /** Known only once the server listens. */
  const address = { baseUrl: "" };
  const core = createCore({
    options,
    faults: [...FAULTS, ...others],
    clock,
    random,
    post: webhooks.post,
    baseUrl: () => address.baseUrl,
  });
  const admin = adminOf(FAULTS, core.faults);
  const handle = (request: RawRequest): Outcome => {
    const answer = admin(request);
    return answer === null ? core.handle(request) : { answer, delayMs: 0 };
  };
  const server = createServer(handle, clock, options);
  await once(server.listen({ host: options.host, port: options.port }), "listening");
  address.baseUrl = addressOf(server, options.host);
  return {
    baseUrl: address.baseUrl,
    options,
    keys: core.keys,
    faults: core.faults,
    async close() {
      core.close();
      const closed = once(server.close(), "close");
      server.closeAllConnections();
      await Promise.all([closed, webhooks.close()]);
    },
  };
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error(`no TCP address to listen on at host "${host}"`);
  }
  return `http://${authority(host, address.port)}`;
}
