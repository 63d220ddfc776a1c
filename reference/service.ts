/** The embedded reference service: starts it, switches its faults, stops it. */

import type { FastifyInstance } from "fastify";
import { authority } from "../contract/authority.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import { createRealClock } from "./clock.ts";
import { createCore } from "./core.ts";
import type { Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/index.ts";
import { fillOptions, type GivenOptions, type ReferenceOptions } from "./options.ts";
import { cryptoRandom } from "./random.ts";
import { registerAdmin } from "./routes/admin.ts";
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
  const app = createServer(core, clock, options);
  registerAdmin(app, FAULTS, core.faults);
  await app.listen({ host: options.host, port: options.port });
  address.baseUrl = addressOf(app, options.host);
  return {
    baseUrl: address.baseUrl,
    options,
    keys: core.keys,
    faults: core.faults,
    async close() {
      core.close();
      clock.close();
      await Promise.all([app.close(), webhooks.close()]);
    },
  };
}

function addressOf(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  if (address === null || typeof address === "string") {
    throw new Error(`no TCP address to listen on at host "${host}"`);
  }
  return `http://${authority(host, address.port)}`;
}
