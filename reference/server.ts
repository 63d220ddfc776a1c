/** The HTTP side: fastify routes that turn requests into facts and send answers. */

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ROUTES, type RouteName } from "../contract/routes.ts";
import type { Access } from "./access.ts";
import { CHOICES } from "./choices.ts";
import type { Timers } from "./clock.ts";
import type { Answer, RequestFacts } from "./http.ts";
import { respond } from "./pipeline.ts";
import { getAccount, getCredits, getDeployments } from "./routes/account.ts";
import type { Api, Endpoint } from "./routes/api.ts";
import { cancelJob, getJob, listJobs, otherJobMethod } from "./routes/jobs.ts";
import { submitJob } from "./routes/submit.ts";
import { getWorker, listWorkers, publishWorker } from "./routes/workers.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const ENDPOINTS: readonly (readonly [Method, RouteName, Endpoint])[] = [
  ["GET", "me", getAccount],
  ["GET", "credits", getCredits],
  ["GET", "deployments", getDeployments],
  ["GET", "workers", listWorkers],
  ["GET", "worker", getWorker],
  ["POST", "publish", publishWorker],
  ["POST", "submit", submitJob],
  ["GET", "jobs", listJobs],
  ["GET", "job", getJob],
];

/** Ours: Spec §4.3 names no limit; no worker here needs more. */
const BODY_BYTES_MAX = 1_048_576;
/** Ours: longer than any client keeps an idle connection, so that none is cut under a request. */
const KEEP_ALIVE_MS = 120_000;
/** Ours: a dripping answer comes in pieces this far apart. */
const DRIP_MS = 400;

export interface ServerParts {
  api: Api;
  access: Access;
  timers: Timers;
}

export function createServer(parts: ServerParts): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => handler(parts, null, null)(request, reply),
    forceCloseConnections: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  for (const [method, route, endpoint] of [...ENDPOINTS, ...changesOfJobs(parts.api)]) {
    const url = ROUTES[route].replace(/\{([a-z_]+)\}/, ":parameter");
    app.route({ method, url, handler: handler(parts, route, endpoint) });
  }
  app.setNotFoundHandler(handler(parts, null, null));
  return app;
}

/** The one method that cancels, and those that don't. */
function changesOfJobs({ options }: Api): typeof ENDPOINTS {
  const { cancelMethod } = options.choices;
  return CHOICES.cancelMethod.values.map((method) => {
    return [method, "job", method === cancelMethod ? cancelJob : otherJobMethod];
  });
}

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

function handler(parts: ServerParts, route: RouteName | null, endpoint: Endpoint | null): Handler {
  return (request, reply) => {
    const facts = factsOf(request, route);
    const { answer, delayMs } = respond(parts.api, parts.access, facts, endpoint);
    if (delayMs <= 0) return send(parts, reply, answer);
    return parts.timers.pause(delayMs).then(() => send(parts, reply, answer));
  };
}

function factsOf(request: FastifyRequest, route: RouteName | null): RequestFacts {
  const key = request.headers["x-api-key"];
  const { parameter } = (request.params ?? {}) as { parameter?: string };
  return {
    method: request.method,
    route,
    parameter: parameter ?? "",
    query: queryOf(request.query),
    body: typeof request.body === "string" ? request.body : "",
    apiKey: typeof key === "string" ? key : undefined,
    rawHeaders: request.raw.rawHeaders,
    connection: request.raw.socket,
  };
}

/** Of a parameter that is given several times, the first counts. */
function queryOf(query: unknown): RequestFacts["query"] {
  const fields: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(query ?? {})) {
    fields[name] = String(Array.isArray(value) ? value[0] : value);
  }
  return fields;
}

function send(parts: ServerParts, reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.delivery === "reset") {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  const text = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  reply.code(answer.status);
  if (text !== undefined) reply.header("content-type", "application/json; charset=utf-8");
  reply.headers(answer.headers);
  if (answer.delivery === "drip" && text !== undefined) return drip(parts, reply, text);
  return reply.send(text);
}

/** Sends a body in pieces, far enough apart that its reader notices. */
function drip({ timers }: ServerParts, reply: FastifyReply, text: string): FastifyReply {
  reply.hijack();
  const pieces = text.match(/[\s\S]{1,64}/g) ?? [];
  const headers = reply.getHeaders() as Record<string, string>;
  reply.raw.writeHead(reply.statusCode, headers);
  pieces.forEach((piece, index) => {
    timers.after(index * DRIP_MS, () => {
      if (index === pieces.length - 1) reply.raw.end(piece);
      else reply.raw.write(piece);
    });
  });
  return reply;
}
