/** The probe's own HTTP server: metrics, health, readiness, status page. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { authority } from "../../contract/requests/authority.ts";
import type { Secret } from "../../contract/text/secret.ts";
import { CHALLENGES, isAllowed, isOwnHost } from "./access.ts";
import type { Documents } from "./documents.ts";
import { openDocuments, sectionLink } from "./documents.ts";
import type { EventStreams } from "./event-stream.ts";
import { openEventStreams } from "./event-stream.ts";
import type { PageParts } from "./page-shell.ts";
import { renderPage } from "./page-shell.ts";
import { pageState, statusPage } from "./status-page.ts";
import type { StatusView } from "./view.ts";

export interface ServerParts {
  listen: { host: string; port: number };
  /** Asked for by everything but health and readiness; null: nothing is asked for. */
  bearerToken: Secret | null;
  /** Names in the Host header that are this probe's, beside addresses and the one it listens on. */
  allowedHosts: readonly string[];
  scrape: (accept: string) => Promise<{ contentType: string; text: string }>;
  view: () => StatusView;
  /** Why the probe can't do its work, a sentence each; none when it can. */
  unready: () => readonly string[];
  /** For tests of the event stream. */
  beatMs?: number;
}

export interface ProbeServer {
  address: string;
  /** Tells those who have the page open that something changed. */
  changed(): void;
  close(): Promise<void>;
}

/** Ours: scrapers, pages and their events; more is a leak or an attack. */
const CONNECTIONS_MAX = 256;

export async function startServer(parts: ServerParts): Promise<ProbeServer> {
  const streams = openEventStreams(() => JSON.stringify(pageState(parts.view())), parts.beatMs);
  const site = { ...parts, documents: openDocuments() };
  const server = createServer((request, response) => {
    respond(site, streams, request, response).catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(parts.listen.port, parts.listen.host);
  await once(server, "listening");
  return {
    address: addressOf(server, parts.listen.host),
    changed: () => streams.changed(),
    async close() {
      streams.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Site extends ServerParts {
  documents: Documents;
}

interface Answer {
  status: number;
  contentType: string;
  text: string;
  headers?: Readonly<Record<string, string | string[]>>;
}

async function respond(
  site: Site,
  streams: EventStreams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const refused = refusal(site, path, request);
  if (refused === null && path === "/events" && request.method === "GET") {
    if (streams.open(response)) return;
  }
  const answer = refused ?? (await answerOf(site, path, request.headers.accept ?? ""));
  response.writeHead(answer.status, {
    "content-type": answer.contentType,
    "content-length": Buffer.byteLength(answer.text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...answer.headers,
  });
  response.end(answer.text);
}

/** null for a request that may be answered. */
function refusal(parts: ServerParts, path: string, request: IncomingMessage): Answer | null {
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD") {
    return { ...plain(405, "expected GET"), headers: { allow: "GET, HEAD" } };
  }
  if (path === "/healthz" || path === "/readyz") return null;
  if (!isAllowed(parts.bearerToken, headers.authorization)) {
    return { ...plain(401, "expected the token"), headers: { "www-authenticate": CHALLENGES } };
  }
  // Who knows the token is no page of another site; scrapers call the probe by names of their own.
  if (parts.bearerToken !== null || path === "/metrics") return null;
  if (isOwnHost(headers.host, [parts.listen.host, ...parts.allowedHosts])) return null;
  return plain(421, wrongHost(headers.host ?? ""));
}

/** Ours: longer than any name of RFC 1035 §2.3.4. */
const HOST_CHARS_MAX = 300;

/** RFC 9110 §15.5.20. */
function wrongHost(host: string): string {
  const expected = "expected localhost, an IP address, or a name given by --allow-host NAME";
  return `"${host.slice(0, HOST_CHARS_MAX)}" is no host of this probe; ${expected}`;
}

async function answerOf(site: Site, given: string, accept: string): Promise<Answer> {
  const path = given.replace(/(?<=.)\/$/, "");
  switch (path) {
    case "/healthz":
      return plain(200, "ok");
    case "/readyz": {
      const reasons = site.unready();
      return reasons.length === 0 ? plain(200, "ready") : plain(503, reasons.join("\n"));
    }
    case "/metrics":
      return { status: 200, ...(await site.scrape(accept)) };
    case "/api/canaries": {
      const text = `${JSON.stringify(site.view())}\n`;
      return { status: 200, contentType: "application/json", text };
    }
    case "/events":
      return plain(503, "too many pages are open");
    case "/":
      return page(statusPage(site.view()));
    case "/runbooks":
      return page(site.documents.index());
    default:
      return await documentAt(site, path);
  }
}

const PATHS = [
  "/, /metrics, /api/canaries, /runbooks, /runbooks/NAME, /interface, /promises, /promises/ID",
  "/healthz or /readyz",
].join(", ");

/** A promise's own address leads to the section that makes it: boards know nothing but its id. */
async function documentAt({ documents }: Site, path: string): Promise<Answer> {
  const promise = /^\/promises\/([\w.-]+)$/.exec(path)?.[1];
  const section = promise === undefined ? null : sectionLink(promise);
  if (section !== null) return { ...plain(302, section), headers: { location: section } };
  const name = /^\/runbooks\/(\w+)(?:\.md)?$/.exec(path)?.[1];
  const found = name === undefined ? await documents.document(path) : await documents.runbook(name);
  return found === null ? plain(404, `expected ${PATHS}`) : page(found);
}

function plain(status: number, text: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", text: `${text}\n` };
}

/** Nothing is loaded from elsewhere, and only our own script runs, whatever a job's name holds. */
function page(parts: PageParts): Answer {
  const nonce = randomBytes(16).toString("base64");
  const own = `'nonce-${nonce}'`;
  const policy = `default-src 'none'; style-src ${own}; script-src ${own}; connect-src 'self'`;
  const rest = "img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    text: renderPage(parts, nonce),
    headers: {
      "content-security-policy": `${policy}; ${rest}`,
      "referrer-policy": "no-referrer",
    },
  };
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${authority(host, port)}`;
}
