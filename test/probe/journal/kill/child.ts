/** A probe that lives until it is killed; or, told to, one that only ends what others have left. */

import { flushCompileCache } from "node:module";
import { Secret } from "../../../../contract/text/secret.ts";

import { createLogger } from "../../../../probe/operation/log.ts";
import { startProbe } from "../../../../probe/probe.ts";
import type { ChildOrders } from "./orders.ts";

/** Ours: the jobs of the test take a fraction of a second. */
const DRAIN_MS = 20_000;

const orders = JSON.parse(process.env.PROBE_ORDERS ?? "") as ChildOrders;
const probe = await startProbe({
  target: orders.target,
  secrets: new Map(orders.secrets.map(([name, value]) => [name, new Secret(value)])),
  stateDir: orders.stateDir,
  acceptUnknownSpending: orders.acceptsUnknownSpending,
  listen: { host: "127.0.0.1", port: 0 },
  location: "kill",
  bearerToken: null,
  allowedHosts: [],
  version: "0.0.0",
  logger: createLogger(
    (line) => process.stdout.write(line),
    (text) => text,
  ),
});
if (orders.drains) {
  await probe.close(DRAIN_MS);
  process.disconnect?.();
} else {
  probe.start();
  process.send?.("started");
  // Node writes the cache at the end of a process, which this one's will not let it.
  flushCompileCache();
}
