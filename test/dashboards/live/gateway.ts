/** A gateway in front of a reference service, whose ways of failing are switched while it runs. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as sendRequest } from "node:http";
import { listen } from "../../http/listen.ts";

/** What it answers by itself in place of the service; "silence" never answers. */
export type Answer = { status: number; headers?: Record<string, string> } | "silence";

/** Gives the answer to a request that is not to reach the service, or null. */
export type Failing = (method: string, path: string) => Answer | null;

export interface Gateway {
  baseUrl: string;
  /** Fails requests so from now on; null passes all. */
  fail(how: Failing | null): void;
  /** Refuses connections until it is opened again at the same address. */
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function startGateway(serviceUrl: string): Promise<Gateway> {
  let failing: Failing | null = null;
  let port = 0;
  const agent = new Agent({ keepAlive: true });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const own = failing?.(request.method ?? "", request.url ?? "") ?? null;
    if (own === null) return pass(agent, serviceUrl, request, response);
    request.resume();
    if (own === "silence") return;
    response.writeHead(own.status, { "content-type": "application/json", ...own.headers });
    response.end(JSON.stringify({ error: "fault", message: "made up", status: own.status }));
  };
  const server = createServer(answer);
  const open = async () => {
    port = await listen(server, "127.0.0.1", port);
  };
  const shut = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await open();
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    fail: (how) => {
      failing = how;
      // Those that wait for an answer get none any more.
      if (how === null) server.closeAllConnections();
    },
    open,
    shut,
    async close() {
      if (server.listening) await shut();
      agent.destroy();
    },
  };
}

function pass(
  agent: Agent,
  serviceUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url = "/", headers } = request;
  const onward = sendRequest(serviceUrl + url, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}
