/** The way between two machines: how long a message takes, and whether it gets there. */

import type { Draw } from "./chance.ts";
import { exponential } from "./chance.ts";
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
}

/** Two programs of one machine. */
export const LOOPBACK: NetworkModel = {
  oneWayMs: 0.05,
  jitterMs: 0.03,
  loss: 0,
  resets: 0,
  handshakes: 1,
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
}

/** Connections of one client to one host: an idle one is taken before a new one is opened. */
export class ConnectionPool {
  readonly #idle: object[] = [];

  /** Gives one that has served before, or a new one. */
  take(): { connection: object; isReused: boolean } {
    const connection = this.#idle.pop();
    return connection === undefined
      ? { connection: {}, isReused: false }
      : { connection, isReused: true };
  }

  giveBack(connection: object): void {
    this.#idle.push(connection);
  }
}
