/** An HTTP server that its callers can't exhaust: not by slow requests, nor by many connections. */

import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import type { Connections } from "./connections.ts";
import type { ReceiverOptions } from "./options.ts";

/** Ours: how far a time-out may be overrun; Node's own default is half a minute. */
const TIMEOUT_CHECK_MS = 1_000;
/** Ours: a webhook carries a dozen. */
const HEADERS_MAX = 100;

interface ServerBounds {
  timeouts: Pick<ReceiverOptions, "headerTimeoutMs" | "requestTimeoutMs">;
  keepAliveMs: number;
  connections: Connections;
}

export function createBoundedServer(
  { timeouts, keepAliveMs, connections }: ServerBounds,
  handle: RequestListener,
): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headerTimeoutMs,
      requestTimeout: timeouts.requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: keepAliveMs,
    },
    (request, response) => {
      const { socket } = request;
      if (!connections.beginAnswer(socket)) {
        connections.pipelined += 1;
        connections.end(socket);
        return;
      }
      response.once("close", () => connections.endAnswer(socket));
      handle(request, response);
    },
  );
  server.maxHeadersCount = HEADERS_MAX;
  server.on("connection", (socket) => connections.add(socket));
  return server;
}
