/** The HTTP server that the suite asks; it listens on an address that senders don't reach. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { QUERY_SECRET_VARIABLE } from "../contract/jobs/delivery.ts";
import { messageOf } from "../contract/text/thrown.ts";
import { bearerToken, isSameSecret } from "./bearer.ts";
import { createBoundedServer } from "./bounded-server.ts";
import type { Connections } from "./connections.ts";
import type { ReceiverOptions } from "./options.ts";
import type { QueryDesk } from "./query-desk.ts";
import type { ReceiverStats } from "./query-schema.ts";
import {
  QueryError,
  readArrivalsQuery,
  readDeliveriesQuery,
  readDeliveriesRequest,
  readForgetRequest,
} from "./questions.ts";

/** Ours: a hundred thousand tokens fit. */
const REQUEST_BYTES_MAX = 8 * 1024 * 1024;
/** Ours: k6 keeps connections open between polls for minutes. */
const KEEP_ALIVE_MS = 120_000;

export interface QueryParts {
  /** Other processes of this machine reach the address as well: they don't know the secret. */
  options: Pick<ReceiverOptions, "querySecret" | "headerTimeoutMs" | "requestTimeoutMs">;
  connections: Connections;
  desk: QueryDesk;
  openRefusing: () => Promise<void>;
  stats: () => ReceiverStats;
  access: () => ReceiverAccess;
}

interface Question {
  query: Readonly<Record<string, string | string[]>>;
  body: string;
  /** Aborted when the asker hangs up. */
  signal: AbortSignal;
}

type Endpoint = (parts: QueryParts, question: Question) => unknown;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET /deliveries": ({ desk }, { query, signal }) => {
    const { tokens, ...waiting } = readDeliveriesQuery(query);
    return desk.deliveries(tokens, waiting, signal);
  },
  "POST /deliveries": ({ desk }, { body, signal }) => {
    const { tokens, ...waiting } = readDeliveriesRequest(json(body));
    return desk.deliveries(tokens, waiting, signal);
  },
  "GET /arrivals": ({ desk }, { query, signal }) => desk.arrivals(readArrivalsQuery(query), signal),
  "POST /forget": ({ desk }, { body }) => {
    desk.forget(readForgetRequest(json(body)));
    return {};
  },
  "POST /open-refusing": async ({ openRefusing }) => {
    await openRefusing();
    return {};
  },
  "GET /stats": ({ stats }) => stats(),
  "GET /access": ({ access }) => access(),
};

export function createQueryServer(parts: QueryParts): Server {
  const { options, connections } = parts;
  const bounds = { timeouts: options, keepAliveMs: KEEP_ALIVE_MS, connections };
  return createBoundedServer(bounds, (request, response) => {
    void answer(parts, request, response);
  });
}

async function answer(
  parts: QueryParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const found = await ask(parts, request, gone.signal);
    if (!response.destroyed) send(response, 200, found);
  } catch (error) {
    if (response.destroyed) return;
    const message = messageOf(error);
    send(response, error instanceof QueryError ? error.status : 500, { error: message });
  }
}

async function ask(
  parts: QueryParts,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<unknown> {
  if (!isSameSecret(bearerToken(request.headers.authorization) ?? "", parts.options.querySecret)) {
    const expected = `expected "authorization: Bearer ..." with that of ${QUERY_SECRET_VARIABLE}`;
    throw new QueryError(401, `the query's secret is missing or wrong; ${expected}`);
  }
  const [path = "", search = ""] = (request.url ?? "").split("?", 2);
  const endpoint = ENDPOINTS[`${request.method} ${path}`];
  if (endpoint === undefined) {
    const expected = `expected one of: ${Object.keys(ENDPOINTS).join(", ")}`;
    throw new QueryError(404, `no "${request.method} ${path}"; ${expected}`);
  }
  const body = await textOf(request);
  return endpoint(parts, { query: queryOf(search), body, signal });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) {
      throw new QueryError(413, `body too long; expected at most ${REQUEST_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A parameter that stands several times becomes a list. */
function queryOf(search: string): Question["query"] {
  const fields = new URLSearchParams(search);
  const names = [...new Set(fields.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = fields.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new QueryError(400, "the body is not JSON; expected an object");
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    // RFC 9110 §15.5.2. A refused request's body was not read.
    ...(status === 401 ? { "www-authenticate": "Bearer", connection: "close" } : {}),
  });
  response.end(text);
}
