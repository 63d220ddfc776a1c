/** The HTTP side: fastify carries requests to the core and sends its answers. */

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../contract/clock.ts";
import type { ReferenceCore } from "./core.ts";
import { type Answer, type RawRequest, textOf } from "./http.ts";
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

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

/** Fastify itself knows no endpoint: whatever is not registered later goes to the core. */
export function createServer(
  core: ReferenceCore,
  clock: Clock,
  { requestLimitMs, connectionsMax }: Pick<ReferenceOptions, "requestLimitMs" | "connectionsMax">,
): FastifyInstance {
  const handler: Handler = (request, reply) => {
    const { answer, delayMs } = core.handle(rawRequest(request));
    if (delayMs <= 0) return send(clock, reply, answer);
    return new Promise<void>((resolve) => clock.after(delayMs, resolve)).then(() =>
      send(clock, reply, answer),
    );
  };
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => handler(request, reply),
    forceCloseConnections: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestLimitMs,
    http: {
      headersTimeout: requestLimitMs,
      connectionsCheckingInterval: Math.min(requestLimitMs, CHECKING_MS_MAX),
    },
  });
  app.server.maxConnections = connectionsMax;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler(handler);
  return app;
}

function rawRequest({ raw, body }: FastifyRequest): RawRequest {
  return {
    method: raw.method ?? "",
    ...splitTarget(raw.url ?? ""),
    body: typeof body === "string" ? body : "",
    rawHeaders: raw.rawHeaders,
    connection: raw.socket,
  };
}

function send(clock: Clock, reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.delivery === "reset") {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  const text = textOf(answer);
  reply.code(answer.status);
  reply.headers(answer.headers);
  if (answer.delivery === "drip" && text !== undefined) return drip(clock, reply, text);
  return reply.send(text);
}

/** Sends a body in pieces, far enough apart that its reader notices. */
function drip(clock: Clock, reply: FastifyReply, text: string): FastifyReply {
  reply.hijack();
  const pieces = text.match(/[\s\S]{1,64}/g) ?? [];
  const headers = reply.getHeaders() as Record<string, string>;
  reply.raw.writeHead(reply.statusCode, headers);
  pieces.forEach((piece, index) => {
    clock.after(index * DRIP_MS, () => {
      if (index === pieces.length - 1) reply.raw.end(piece);
      else reply.raw.write(piece);
    });
  });
  return reply;
}
