/** The open connections of a listener: when each request began, and who goes when all are taken. */

import type { Socket } from "node:net";

import { nowMs } from "../clock/system-clock.ts";

interface Connection {
  openedAtMs: number;
  /** Stamp of the first bytes of the request that is being read; null between requests. */
  requestBeganAtMs: number | null;
  chunkAtMs: number;
  /** Requests without a finished answer. */
  pending: number;
  requests: number;
}

/** Ours: senders of webhooks don't pipeline; whoever does must not pile up unanswered requests. */
const PIPELINED_MAX = 8;

export class Connections {
  readonly #max: number;
  readonly #open = new Map<Socket, Connection>();
  /** Those without a pending request, in the order in which they became so. */
  readonly #idle = new Set<Socket>();
  readonly #ended = new WeakSet<Socket>();
  evicted = 0;
  /** Closed for their unanswered requests. */
  pipelined = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Called for each new connection, once the HTTP server has put its own listeners on it. */
  add(socket: Socket): void {
    const none = { requestBeganAtMs: null, pending: 0, requests: 0 };
    const openedAtMs = nowMs();
    const connection: Connection = { ...none, openedAtMs, chunkAtMs: openedAtMs };
    this.#open.set(socket, connection);
    this.#idle.add(socket);
    // The earliest hook that Node offers: the bytes as the event loop read them from the socket,
    // before the HTTP parser sees them. It makes the parser read in JavaScript, a few µs a chunk.
    socket.prependListener("data", () => {
      connection.chunkAtMs = nowMs();
      connection.requestBeganAtMs ??= connection.chunkAtMs;
    });
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#idle.delete(socket);
    });
    if (this.#open.size > this.#max) this.#evict(socket);
  }

  /** When the request line of the request that is being read arrived. */
  arrivalMs(socket: Socket): number {
    const connection = this.#open.get(socket);
    return connection?.requestBeganAtMs ?? connection?.chunkAtMs ?? nowMs();
  }

  /** The request was read to its end: the next bytes are those of another one. */
  requestRead(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.requestBeganAtMs = null;
  }

  /** False when the connection has too many unanswered requests to take another one. */
  beginAnswer(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.pending >= PIPELINED_MAX) return false;
    connection.pending += 1;
    connection.requests += 1;
    this.#idle.delete(socket);
    return true;
  }

  /** From the opening until then; undefined where another request came before. */
  openedForMs(socket: Socket, untilMs: number): number | undefined {
    const connection = this.#open.get(socket);
    const isFirst = connection !== undefined && connection.requests <= 1;
    return isFirst ? untilMs - connection.openedAtMs : undefined;
  }

  /** How many came before the request that began last. */
  requestsBefore(socket: Socket): number {
    return (this.#open.get(socket)?.requests ?? 1) - 1;
  }

  endAnswer(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.pending -= 1;
    if (connection.pending === 0) this.#idle.add(socket);
  }

  /** Ends a connection from this side. */
  end(socket: Socket): void {
    this.#ended.add(socket);
    socket.resetAndDestroy();
  }

  /** Whether it was this side that ended the connection, not the sender. */
  wasEndedHere(socket: Socket): boolean {
    return this.#ended.has(socket);
  }

  /** An idle connection goes first, as nobody waits on it; a newcomer never goes itself. */
  #evict(newcomer: Socket): void {
    const victim = firstBut(newcomer, this.#idle) ?? firstBut(newcomer, this.#open.keys());
    if (victim === null) return;
    this.evicted += 1;
    this.end(victim);
  }
}

function firstBut(excluded: Socket, sockets: Iterable<Socket>): Socket | null {
  for (const socket of sockets) if (socket !== excluded) return socket;
  return null;
}
