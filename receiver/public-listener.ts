/** The HTTP server that the service posts to: stamps, keeps and answers by the URL's script. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createSystemClock, nowMs } from "../clock/system-clock.ts";
import type { AnswerStep } from "../contract/jobs/delivery.ts";
import { createBoundedServer } from "./bounded-server.ts";
import type { Connections } from "./connections.ts";
import type { StoredDelivery } from "./delivery-log.ts";
import type { Route } from "./delivery-route.ts";
import { answerHeaders, createRouter, stepOf } from "./delivery-route.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { openedBody } from "./opened-body.ts";
import type { ReceiverOptions } from "./options.ts";
import type { BodyReader, ReadBody } from "./request-body.ts";
import type { SignatureChecker, SignedHeaders } from "./signature.ts";
import { shownHeaders, shownText, signedHeaders, unnamedSignature } from "./signature.ts";

/** Ours: a sender's pool may keep a connection between two deliveries for as long. */
const KEEP_ALIVE_MS = 65_000;

const CLOCK = createSystemClock();

export interface PublicParts {
  options: ReceiverOptions;
  store: DeliveryStore;
  connections: Connections;
  bodies: BodyReader;
  checker: SignatureChecker;
  counts: RefusalCounts;
}

/** Requests that were turned away and not kept, by reason. */
export interface RefusalCounts {
  unknownPath: number;
  wrongMethod: number;
  foreignToken: number;
}

export function createPublicServer(parts: PublicParts): Server {
  const { options, connections } = parts;
  const route = createRouter(options.publicUrl);
  const bounds = { timeouts: options, keepAliveMs: KEEP_ALIVE_MS, connections };
  return createBoundedServer(bounds, (request, response) => {
    handle(parts, route(request.url ?? ""), request, response);
  });
}

function handle(
  parts: PublicParts,
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { connections, counts, options } = parts;
  const arrivedAtMs = connections.arrivalMs(request.socket);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (route.kind === "greeting" && isRead) {
    turnAway(response, 200, "Plumbline webhook receiver\n");
  } else if (route.kind !== "delivery") {
    counts.unknownPath += 1;
    turnAway(
      response,
      404,
      "not found; expected POST to /d/<token>/<script> or /d?to=<token>/<script>\n",
    );
  } else if (!isDelivery(request.method)) {
    counts.wrongMethod += 1;
    response.setHeader("allow", "POST");
    turnAway(response, 405, "method not allowed; expected POST\n");
  } else if (!route.token.startsWith(options.tokenPrefix ?? "")) {
    counts.foreignToken += 1;
    turnAway(response, 404, "not found; expected a token of this session\n");
  } else {
    receive(parts, { ...route, arrivedAtMs, request, response });
  }
}

/** Whatever brings a body delivers, by the wrong method or not; the others only look. */
export function isDelivery(method = "GET"): boolean {
  return !["GET", "HEAD", "OPTIONS", "TRACE"].includes(method);
}

/** Closes the connection after it, so that a body that nobody wants need not be read. */
function turnAway(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}

interface Arrival {
  token: string;
  steps: readonly AnswerStep[];
  arrivedAtMs: number;
  request: IncomingMessage;
  response: ServerResponse;
}

function receive(parts: PublicParts, arrival: Arrival): void {
  const { token, steps, request, response } = arrival;
  const attempt = parts.store.countAttempt(token);
  const answer = stepOf(steps, attempt);
  const requestsBefore = parts.connections.requestsBefore(request.socket);
  const openedForMs = parts.connections.openedForMs(request.socket, arrival.arrivedAtMs);
  const signed = signedHeaders(request.headers, parts.options.signature.header);
  const beginCheck = () => parts.checker(signed);
  parts.bodies.read(request, beginCheck, (body) => {
    parts.connections.requestRead(request.socket);
    const read = { attempt, answer, signed, requestsBefore, openedForMs, body };
    const delivery = parts.store.list(deliveryOf(parts, arrival, read));
    if (body.end === "complete") play(parts.connections, delivery, response);
    else noteEnd(parts.connections, delivery, request.socket);
  });
}

interface Read {
  attempt: number;
  answer: AnswerStep;
  signed: SignedHeaders;
  requestsBefore: number;
  openedForMs: number | undefined;
  body: ReadBody;
}

function deliveryOf(
  { options, checker }: PublicParts,
  { token, arrivedAtMs, request }: Arrival,
  { attempt, answer, signed, requestsBefore, openedForMs, body }: Read,
): Parameters<DeliveryStore["list"]>[0] {
  const contentType = request.headers["content-type"];
  const opened = openedBody(body, {
    encoding: request.headers["content-encoding"],
    capBytes: options.bodyCapBytes,
    beginCheck: () => checker(signed),
  });
  return {
    token,
    attempt,
    arrivedAtMs,
    method: request.method ?? "",
    contentType: contentType === undefined ? null : shownText(contentType),
    headers: shownHeaders(request.headers, options.signature.header),
    ...unnamedSignature(request.headers, options.signature.header),
    ...opened,
    bodyBytes: body.bytes,
    signed,
    answer,
    answeredAtMs: null,
    hungUpAtMs: null,
    requestsBefore,
    ...(openedForMs === undefined ? {} : { openedForMs }),
  };
}

/** Ours: something that a sender may wait for. */
const SLOW_BODY = "late\n";

/** Delays count from the arrival, so that a long body doesn't move the answer. */
function play(
  connections: Connections,
  delivery: StoredDelivery,
  response: ServerResponse<IncomingMessage>,
): void {
  const { answer } = delivery;
  const { socket } = response.req;
  let callOff = () => {};
  const later = (atMs: number, call: () => void) => {
    callOff = CLOCK.callAt(atMs, call);
  };
  response.once("close", () => {
    callOff();
    if (!response.writableFinished) noteEnd(connections, delivery, socket);
  });
  if (answer.kind === "reset") connections.end(socket);
  if (answer.kind !== "status") return;
  const write = () => {
    const { status, bodyMs } = answer;
    const isBodiless = status === 204 || status === 304;
    const body = bodyMs === undefined || isBodiless ? "" : SLOW_BODY;
    response.writeHead(status, {
      ...answerHeaders(status, response.req.url ?? ""),
      ...(isBodiless ? {} : { "content-length": body.length }),
    });
    delivery.answeredAtMs = nowMs();
    if (body === "") return void response.end();
    response.flushHeaders();
    later(delivery.answeredAtMs + (bodyMs ?? 0), () => response.end(body));
  };
  if (answer.delayMs === 0) write();
  else later(delivery.arrivedAtMs + answer.delayMs, write);
}

/** Notes who ended a connection on which the answer was not complete. */
function noteEnd(connections: Connections, delivery: StoredDelivery, socket: Socket): void {
  if (connections.wasEndedHere(socket)) delivery.answeredAtMs ??= nowMs();
  else delivery.hungUpAtMs = nowMs();
}
