/** The HTTP side: Node's own server carries requests to the core and sends its answers. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createHttpServer } from "node:http";
import { messageOf } from "../contract/text/thrown.ts";
import type { Clock } from "../contract/time/clock.ts";
import { type Answer, type Outcome, type RawRequest, textOf } from "./http.ts";
import type { ReferenceOptions } from "./options.ts";
import { splitTarget } from "./request-target.ts";

/** Ours: Spec §4.3 names no limit; no worker here needs more. */
const BODY_BYTES_MAX = 1_048_576;
/** Ours: longer than any client keeps an idle connection, so that none is cut under a request. */
const KEEP_ALIVE_MS = 120_000;
/** Ours: how much longer than its limit a request may hold its connection. */
const CHECKING_MS_MAX = 5_000;
/** Ours: a dripping answer comes in pieces this far apart. */
const DRIP_MS = 400;

type Handle = (request: RawRequest) => Outcome;

export function createServer(
  handle: Handle,
  clock: Clock,
  { requestLimitMs, connectionsMax }: Pick<ReferenceOptions, "requestLimitMs" | "connectionsMax">,
): Server {
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestLimitMs,
    headersTimeout: requestLimitMs,
    connectionsCheckingInterval: Math.min(requestLimitMs, CHECKING_MS_MAX),
    optimizeEmptyRequests: true,
  };
  const server = createHttpServer(options, (request, response) => {
    readBody(request, (body) => {
      if (body === null) return send(clock, response, TOO_LONG);
      const { answer, delayMs } = outcomeOf(handle, request, body);
      if (delayMs <= 0) send(clock, response, answer);
      else clock.after(delayMs, () => send(clock, response, answer));
    });
  });
  server.maxConnections = connectionsMax;
  return server;
}

/** Whoever sends such a body goes on sending: its connection is closed. */
const TOO_LONG = problem(413, "the body is too long", { connection: "close" });

function problem(status: number, message: string, headers: Answer["headers"] = {}): Answer {
  const body = { error: message, status };
  return { status, headers: { ...headers, "content-type": "application/json" }, body };
}

/** Calls back once, with null for a body that is too long; not at all where it breaks off. */
function readBody(request: IncomingMessage, done: (body: string | null) => void): void {
  if (request.readableEnded) return void done("");
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    const isWithin = bytes <= BODY_BYTES_MAX;
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    else if (isWithin) done(null);
  });
  request.on("end", () => {
    if (bytes <= BODY_BYTES_MAX) done(Buffer.concat(chunks).toString());
  });
}

/** What throws is a mistake of this service, and no reason to end it. */
function outcomeOf(handle: Handle, request: IncomingMessage, body: string): Outcome {
  const { method = "", url = "", rawHeaders, socket: connection } = request;
  try {
    return handle({ method, ...splitTarget(url), body, rawHeaders, connection });
  } catch (error) {
    return { answer: problem(500, messageOf(error)), delayMs: 0 };
  }
}

function send(clock: Clock, response: ServerResponse, answer: Answer): void {
  const { status, headers, delivery } = answer;
  const text = textOf(answer);
  if (delivery === "reset") response.destroy();
  else if (delivery === "drip" && text !== undefined) drip(clock, response, answer, text);
  else if (status === 204) response.writeHead(status).end();
  else {
    const length = text === undefined ? 0 : Buffer.byteLength(text);
    response.writeHead(status, { ...headers, "content-length": length }).end(text);
  }
}

/** Sends a body in pieces, far enough apart that its reader notices. */
function drip(
  clock: Clock,
  response: ServerResponse,
  { status, headers }: Answer,
  text: string,
): void {
  response.writeHead(status, headers);
  const pieces = text.match(/[\s\S]{1,64}/g) ?? [];
  pieces.forEach((piece, index) => {
    clock.after(index * DRIP_MS, () => {
      if (index === pieces.length - 1) response.end(piece);
      else response.write(piece);
    });
  });
}
