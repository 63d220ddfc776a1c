/** The probe's own HTTP server: metrics, health, readiness, status page. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { StatusView } from "./status-board.ts";
import { renderStatus, renderStatusPage } from "./status-page.ts";

export interface ServerParts {
  listen: { host: string; port: number };
  /** Asked for by everything but health and readiness; null: nothing is asked for. */
  bearerToken: string | null;
  scrape: (accept: string) => Promise<{ contentType: string; text: string }>;
  view: () => StatusView;
  /** Why the probe can't do its work, a sentence each; none when it can. */
  unready: () => readonly string[];
}

export interface ProbeServer {
  address: string;
  /** Tells those who have the page open that something changed. */
  changed(): void;
  close(): Promise<void>;
}

/** Ours: pages that are open at once; each holds a connection. */
const STREAMS_MAX = 50;
/** Ours: a page that is told more often only flickers. */
const TELL_MS = 500;

export async function startServer(parts: ServerParts): Promise<ProbeServer> {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    respond(parts, streams, request, response).catch(() => response.destroy());
  });
  server.listen(parts.listen.port, parts.listen.host);
  await once(server, "listening");
  let telling: NodeJS.Timeout | null = null;
  return {
    address: addressOf(server, parts.listen.host),
    changed() {
      telling ??= setTimeout(() => {
        telling = null;
        for (const stream of streams) stream.write(streamEvent(parts.view()));
      }, TELL_MS).unref();
    },
    async close() {
      if (telling !== null) clearTimeout(telling);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function respond(
  parts: ServerParts,
  streams: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "/").split("?")[0];
  if (request.method !== "GET" && request.method !== "HEAD") {
    return send(response, 405, "text/plain", "expected GET\n");
  }
  if (path === "/healthz") return send(response, 200, "text/plain", "ok\n");
  if (path === "/readyz") return sendReadiness(response, parts.unready());
  if (!isAllowed(parts.bearerToken, request.headers.authorization)) {
    response.setHeader("www-authenticate", "Bearer");
    return send(response, 401, "text/plain", "expected the bearer token\n");
  }
  if (path === "/metrics") {
    const { contentType, text } = await parts.scrape(request.headers.accept ?? "");
    return send(response, 200, contentType, text);
  }
  if (path === "/api/canaries") {
    return send(response, 200, "application/json", `${JSON.stringify(parts.view())}\n`);
  }
  if (path === "/events") return openStream(parts, streams, response);
  if (path === "/") return sendPage(parts, response);
  return send(response, 404, "text/plain", "expected /, /metrics, /api/canaries or /healthz\n");
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" });
  response.end(text);
}

function sendReadiness(response: ServerResponse, reasons: readonly string[]): void {
  const text = reasons.length === 0 ? "ready" : reasons.join("\n");
  send(response, reasons.length === 0 ? 200 : 503, "text/plain", `${text}\n`);
}

function sendPage(parts: ServerParts, response: ServerResponse): void {
  const nonce = randomBytes(16).toString("base64");
  const own = `'nonce-${nonce}'`;
  const policy = `default-src 'none'; style-src ${own}; script-src ${own}; connect-src 'self'`;
  response.setHeader("content-security-policy", `${policy}; frame-ancestors 'none'`);
  response.setHeader("x-content-type-options", "nosniff");
  send(response, 200, "text/html; charset=utf-8", renderStatusPage(parts.view(), nonce));
}

function openStream(parts: ServerParts, streams: Set<ServerResponse>, response: ServerResponse) {
  if (streams.size >= STREAMS_MAX) return send(response, 503, "text/plain", "too many pages\n");
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(streamEvent(parts.view()));
  streams.add(response);
  response.on("close", () => streams.delete(response));
}

function streamEvent(view: StatusView): string {
  const title = `${view.troubles.length === 0 ? "ok" : "TROUBLE"} - plumbline probe`;
  return `data: ${JSON.stringify({ title, html: renderStatus(view) })}\n\n`;
}

/** Compared in constant time, as the token is a secret. */
function isAllowed(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const expected = Buffer.from(`Bearer ${token}`);
  const given = Buffer.from(authorization ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
