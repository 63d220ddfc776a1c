/** A proxy that passes submissions on and loses the answers: the service has the job, we don't. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Gives back its address. Every other request passes untouched. */
export async function losingProxy(baseUrl: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(baseUrl + request.url, {
      method: request.method ?? "GET",
      headers: {
        "x-api-key": String(request.headers["x-api-key"]),
        ...(chunks.length === 0 ? {} : { "content-type": "application/json" }),
      },
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    });
    const text = await answer.text();
    if (request.method === "POST") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
