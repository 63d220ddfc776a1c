/** A client whose requests carry a W3C `traceparent`, each a trace of its own unless it has one. */

import { randomBytes } from "node:crypto";
import { TRACE_BYTES, traceContext } from "../contract/requests/trace.ts";
import type { Client } from "./client.ts";

/** The client itself where no traces are asked for. */
export function tracedIf(asked: boolean, client: Client): Client {
  if (!asked) return client;
  return {
    send: (request) => client.send({ trace: traceContext(randomBytes(TRACE_BYTES)), ...request }),
    close: () => client.close(),
  };
}
