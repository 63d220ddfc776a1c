/** Options that all scripts for k6 share: how k6 behaves as a client. */

import type { Options } from "k6/options";
import { USER_AGENT } from "../../contract/requests/routes.ts";

export const CLIENT_OPTIONS = {
  /**
   * Ours: k6 would keep an address for five minutes, and blame a service that moved meanwhile for
   * errors of an address that it left. A lookup a second costs nothing beside new connections.
   */
  dns: { ttl: "1s", select: "random", policy: "preferIPv4" },
  noCookiesReset: true,
  userAgent: USER_AGENT,
} satisfies Options;
