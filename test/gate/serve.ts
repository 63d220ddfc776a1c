/** Real servers on port 0 that live as long as one test; not for concurrent ones. */

import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";
import { onTestFinished } from "vitest";

/** Base address of an HTTP server. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await listening(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
  onTestFinished(() => void server.close());
  await listening(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function listening(server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
}
