/** The way between two machines: how long a message takes, and whether it gets there. */

import type { Draw } from "./chance.ts";
import { between, exponential } from "./chance.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface NetworkModel {
  /** Shortest time of one way. */
  oneWayMs: number;
  /** Mean of what is added to it, exponential. */
  jitterMs: number;
  /** Share of messages whose packet is lost and sent again. */
  loss: number;
  /** Share of requests whose connection is reset before an answer. */
  resets: number;
  /** Round trips before the first byte on a new connection: 1 for TCP, 2 or 3 with TLS. */
  handshakes: number;
  /** HTTP/2: all requests of a client share one connection, and answers keep their order on it. */
  isHttp2: boolean;
  /** Share of answers whose body comes in pieces, and how long that takes at the least and most. */
  slowBodies: { share: number; ms: readonly [number, number] };
}

/** Two programs of one machine. */
export const LOOPBACK: NetworkModel = {
  oneWayMs: 0.05,
  jitterMs: 0.03,
  loss: 0,
  resets: 0,
  handshakes: 1,
  isHttp2: false,
  slowBodies: { share: 0, ms: [0, 0] },
};

/**
 * The host that a program's address names. Over the loopback it is this machine's own, which tells
 * the suite that no network lies between.
 */
export function hostOf(model: NetworkModel, program: string): string {
  return model === LOOPBACK ? "127.0.0.1" : `${program}.simulated`;
}

/** First time-out of a TCP sender on a path of short round trips; it doubles. RFC 6298, Linux. */
const RETRANSMISSION_MS = 200;

export class Network {
  readonly clock: VirtualClock;
  readonly model: NetworkModel;
  readonly #draw: Draw;

  constructor(clock: VirtualClock, model: NetworkModel, draw: Draw) {
    this.clock = clock;
    this.model = model;
    this.#draw = draw;
  }

  /** How long one message takes; each has chance of its own, so that neighbours may overtake. */
  oneWayMs(): number {
    const { oneWayMs, jitterMs, loss } = this.model;
    let ms = oneWayMs + exponential(this.#draw, jitterMs);
    for (let again = 0; loss > 0 && this.#draw() < loss; again += 1) {
      ms += RETRANSMISSION_MS * 2 ** again;
    }
    return ms;
  }

  /** How long it takes until a new connection can carry a request. */
  connectMs(): number {
    let ms = 0;
    for (let trip = 0; trip < this.model.handshakes; trip += 1) {
      ms += this.oneWayMs() + this.oneWayMs();
    }
    return ms;
  }

  isReset(): boolean {
    return this.model.resets > 0 && this.#draw() < this.model.resets;
  }

  /** From the first to the last byte of an answer, by what happens on the way. */
  bodyMs(): number {
    const { share, ms } = this.model.slowBodies;
    return share > 0 && this.#draw() < share ? between(this.#draw, ms[0], ms[1]) : 0;
  }
}

/** One TCP connection: what is sent in one direction arrives in the order in which it was sent. */
export interface Connection {
  openedAtMs: number;
  /** When it can carry its first request. */
  readyAtMs: number;
  /** When the last request so far arrives, and the last answer so far. */
  requestAtMs: number;
  answerAtMs: number;
}

/**
 * Connections of one client to one host. HTTP/1.1: an idle one is taken before a new one is
 * opened, unless it was opened longer ago than the client allows. HTTP/2: there is one; what is
 * asked before it is ready waits for it.
 */
export class ConnectionPool {
  readonly #network: Network;
  readonly #ageMsMax: number;
  readonly #idle: Connection[] = [];
  #shared: Connection | null = null;

  constructor(network: Network, ageMsMax = Number.POSITIVE_INFINITY) {
    this.#network = network;
    this.#ageMsMax = ageMsMax;
  }

  /** Gives one that has served before, or a new one. */
  take(nowMs: number): { connection: Connection; isReused: boolean } {
    if (this.#network.model.isHttp2) {
      const shared = this.#shared;
      this.#shared ??= this.#open(nowMs);
      return { connection: this.#shared, isReused: shared !== null };
    }
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (nowMs - idle.openedAtMs <= this.#ageMsMax) return { connection: idle, isReused: true };
    }
    return { connection: this.#open(nowMs), isReused: false };
  }

  giveBack(connection: Connection): void {
    if (connection !== this.#shared) this.#idle.push(connection);
  }

  #open(nowMs: number): Connection {
    const readyAtMs = nowMs + this.#network.connectMs();
    return { openedAtMs: nowMs, readyAtMs, requestAtMs: 0, answerAtMs: 0 };
  }
}
