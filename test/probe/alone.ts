/** How a probe starts that nobody but its test asks. */

import { createLogger } from "../../probe/operation/log.ts";
import type { ProbeOptions } from "../../probe/probe.ts";

type Manner = "listen" | "location" | "bearerToken" | "allowedHosts" | "version" | "logger";

/** On a free port of this machine; `log` takes what it says, a line each. */
export function alone(log: (line: string) => void = () => {}): Pick<ProbeOptions, Manner> {
  return {
    listen: { host: "127.0.0.1", port: 0 },
    location: "test",
    bearerToken: null,
    allowedHosts: [],
    version: "0.0.0",
    logger: createLogger(log, (text) => text),
  };
}
