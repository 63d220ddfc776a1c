/** Real servers on free ports that live as long as one test; not for concurrent ones. */

import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { Server, Socket } from "node:net";
import net from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

/** Ours: no connection is closed under its client, however long a machine stands still. */
const KEEP_ALIVE_MS = 600_000;

/** Base address of an HTTP server. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  return `http://127.0.0.1:${await serveOn(server)}`;
}

/** Port of a server that goes with the test, and its connections with it. */
export async function serveOn(server: Server, host?: string, port?: number): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return await listen(server, host, port);
}

/** Base address of a server that speaks bytes; it is told what was asked. */
export async function serveBytes(
  answer: (request: string, socket: Socket) => void,
): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    let request = "";
    socket.on("data", (bytes) => {
      request += bytes.toString();
      if (request.includes("\r\n\r\n")) answer(request, socket);
    });
  });
  return `http://127.0.0.1:${await serveOn(server)}`;
}
