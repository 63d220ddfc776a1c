/** Stands before a service and rewrites what passes, or answers in its place. */

import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../http/listen.ts";
import type { Front } from "./tls.ts";

export interface Asked {
  method: string;
  /** Path and query, as the client sent them. */
  url: string;
}

export interface Passing {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** What goes out in place of the text. */
  bytes?: Uint8Array;
}

export interface Passage {
  /** Path and query as the service knows them. */
  toService?(url: string): string;
  /** What answers in place of the service, which is not asked then; null: the service does. */
  instead?(asked: Asked): ((response: ServerResponse, request: IncomingMessage) => void) | null;
  toClient?(answer: Passing, asked: Asked): Passing;
}

export async function openRewritingFront(serviceUrl: string, passage: Passage): Promise<Front> {
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const instead = passage.instead?.(askedIn(request)) ?? null;
    if (instead === null) {
      passOn(serviceUrl, passage, request, response).catch(() => response.destroy());
    } else instead(response, request);
  });
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

function askedIn({ method = "GET", url = "" }: IncomingMessage): Asked {
  return { method, url };
}

async function passOn(
  serviceUrl: string,
  { toService = (url) => url, toClient = (answer) => answer }: Passage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = askedIn(request);
  const { method } = asked;
  const answered = await fetch(serviceUrl + toService(asked.url), {
    method,
    headers: sentHeaders(request),
    body: method === "GET" ? null : new Uint8Array(await buffer(request)),
    redirect: "manual",
  });
  const { "content-length": _length, ...headers } = Object.fromEntries(answered.headers);
  const { status } = answered;
  const passed = toClient({ status, headers, text: await answered.text() }, asked);
  response.writeHead(passed.status, passed.headers);
  response.end(passed.bytes ?? passed.text);
}

function sentHeaders({ headers }: IncomingMessage): Record<string, string> {
  const passed = ["x-api-key", "content-type"].flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(passed);
}
