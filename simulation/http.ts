/** HTTP between a program and a service of the simulation: one attempt, as a client sees it. */

import type { TransportError } from "../contract/requests/exchange.ts";
import type { WireResponse } from "../scenarios/world/world.ts";
import type { Program } from "./machine.ts";
import type { ConnectionPool, Network } from "./network.ts";

/** A request as a service receives it. */
export interface ServedRequest {
  method: string;
  /** With the query, as it stands in the request line. */
  target: string;
  /** Names and values in turn, as they were sent. */
  rawHeaders: readonly string[];
  body: string;
  /** The same object for all requests of one connection. */
  connection: object;
}

/** How an answer comes: its bytes arrive in pieces so far apart; reset: it never does. */
export interface ServedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  isReset: boolean;
  /** Why the client gets none, of a way that ends before the service; left out of all others. */
  lost?: TransportError;
  /** From the first to the last byte at the sender. */
  bodyMs: number;
}

/** Answers in its own time, or never. */
export type Serve = (request: ServedRequest, reply: (answer: ServedAnswer) => void) => void;

export interface ClientRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  timeoutMs: number;
}

/** As scenarios see it. */
export type ClientAnswer = WireResponse;

/** A service at an address, and the way to it. */
export interface Route {
  network: Network;
  pool: ConnectionPool;
  serve: Serve;
}

/**
 * Sends at `sentMs`, which may lie ahead, unless it is not sent after all; calls back when the last
 * byte has arrived. Who serves is a program: it queues what it does, and settles no promise as a
 * request arrives.
 */
export function exchange(
  { network, pool, serve }: Route,
  request: ClientRequest,
  sentMs: number,
  done: (answer: ClientAnswer) => void,
  isSent: () => boolean = () => true,
): void {
  const { clock } = network;
  const { connection, isReused } = pool.take(sentMs);
  let isOver = false;
  const end = (part: Pick<ClientAnswer, "status" | "headers" | "body" | "error" | "bodyMs">) => {
    if (isOver) return;
    isOver = true;
    callOff();
    const isKept = part.error === null && request.headers.Connection !== "close";
    if (isKept) pool.giveBack(connection);
    done({ ...part, transportMs: clock.nowMs() - sentMs, isReused });
  };
  const fail = (error: TransportError) =>
    end({ status: 0, headers: {}, body: "", error, bodyMs: 0 });
  const callOff = clock.at(sentMs + request.timeoutMs, () => fail("timeout"));
  const startMs = Math.max(sentMs, connection.readyAtMs);
  connection.requestAtMs = Math.max(connection.requestAtMs, startMs + network.oneWayMs());
  clock.plainAt(connection.requestAtMs, () => {
    if (!isSent()) return;
    if (network.isReset()) {
      clock.after(network.oneWayMs(), () => fail("reset"));
      return;
    }
    serve(servedRequest(request, connection), (answer) => {
      const firstMs = Math.max(connection.answerAtMs, clock.nowMs() + network.oneWayMs());
      const bodyMs = answer.bodyMs + network.bodyMs();
      connection.answerAtMs = firstMs;
      clock.at(firstMs + bodyMs, () => {
        if (answer.lost !== undefined) return fail(answer.lost);
        if (answer.isReset) return fail("reset");
        const { status, headers, body } = answer;
        end({ status, headers, body, error: null, bodyMs });
      });
    });
  });
}

/** Processor time of a program's one loop: to send, and to read an answer with its body; in ms. */
export interface ClientCost {
  send: number;
  receive: number;
  receiveChars: number;
}

/** A program asks: sending and reading take its time. Without a route nobody listens there. */
export function ask(
  program: Program,
  cost: ClientCost,
  route: Route | undefined,
  request: ClientRequest,
): Promise<ClientAnswer> {
  program.spend(cost.send);
  return new Promise((resolve) => {
    const arrived = (answer: ClientAnswer) => {
      const costMs = cost.receive + cost.receiveChars * answer.body.length;
      program.enqueue(costMs, () => resolve(answer));
    };
    if (route === undefined) arrived(REFUSED);
    else {
      const sentMs = program.nowMs();
      exchange(route, request, sentMs, arrived, () => program.reached(sentMs));
    }
  });
}

/** Nobody listens there. */
export const REFUSED: ClientAnswer = {
  status: 0,
  headers: {},
  body: "",
  error: "refused",
  transportMs: 0,
  bodyMs: 0,
  isReused: false,
};

function servedRequest(
  { method, url, headers, body }: ClientRequest,
  connection: object,
): ServedRequest {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return {
    method,
    target: start < 0 ? "/" : url.slice(start),
    rawHeaders: rawHeadersOf(headers),
    body: body ?? "",
    connection,
  };
}

/** Names and values in turn, as they are sent. */
export function rawHeadersOf(headers: Readonly<Record<string, string>>): string[] {
  const raw: string[] = [];
  for (const name of Object.keys(headers)) raw.push(name, headers[name] ?? "");
  return raw;
}

/** Scheme, host and port of an address; what a route is found by. */
export function originOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? url : url.slice(0, start);
}
