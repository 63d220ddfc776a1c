/**
 * Requests to any address, as many at once as are asked for: what a load sends, with the times and
 * the connection of each. No redirect is followed, and no request sent again that a service may
 * have heard, but for reads.
 */

import { subscribe } from "node:diagnostics_channel";
import { performance } from "node:perf_hooks";
import type { Dispatcher } from "undici";
import { TimerQueue } from "../clock/timer-queue.ts";
import type { TransportError } from "../contract/requests/exchange.ts";
import { USER_AGENT } from "../contract/requests/routes.ts";
import { transportError } from "../contract/requests/transport-error.ts";
import type { Headers, Received } from "./answer.ts";
import { Answer, Room } from "./answer.ts";
import type { ClientOptions } from "./client.ts";
import { openPool } from "./client.ts";
import { keptLookup } from "./lookup.ts";

/** One request on the wire. */
export interface OnWire {
  method: string;
  /** Its path is sent as it stands here. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  timeoutMs: number;
}

/** What came back, in milliseconds. */
export interface Came extends Received {
  /** From asking for a connection to the last byte. */
  transportMs: number;
  /** From the first to the last byte of the answer. */
  bodyMs: number;
  /** Sent on a connection that had served before. */
  isReused: boolean;
  /** Whether the head of an answer came. */
  hasBegun: boolean;
}

interface Sent {
  came: Came;
  answer: TimedAnswer;
}

/** Ours: a service whose connections all close so soon is not reached. */
const AGAIN_MAX = 3;
/** Ours: as long as an answer is waited for, as the first packets may be lost. */
const CONNECT_TIMEOUT_MS = 15_000;

export class WireClient {
  readonly #pools = new Map<string, Dispatcher>();
  readonly #room = new Room();
  readonly #connecting: ClientOptions;
  readonly #timers = new TimerQueue(() => performance.now());

  constructor(lookup = keptLookup()) {
    this.#connecting = { connectTimeoutMs: CONNECT_TIMEOUT_MS, lookup };
    watchConnections();
  }

  /**
   * Resolves always: a transport error is part of what came. As Go's client, it sends again where a
   * connection closes that had served before, which a service may do at any moment (RFC 9112 §9.5):
   * what was not sent yet, and what reads alone where not a byte of its answer came.
   */
  async send(request: OnWire): Promise<Came> {
    const startedMs = performance.now();
    for (let again = 0; ; again += 1) {
      const { came, answer } = await this.#sendOnce(request, startedMs);
      const isUnsent = !answer.hasStarted && answer.failure === "reset";
      const isUnanswered = answer.isReused && came.error === "reset" && !came.hasBegun;
      const isSentAgain = isUnsent || (isUnanswered && request.method === "GET");
      if (!isSentAgain || again === AGAIN_MAX) return came;
    }
  }

  #sendOnce({ method, url, headers, body, timeoutMs }: OnWire, startedMs: number): Promise<Sent> {
    const start = url.indexOf("/", url.indexOf("//") + 2);
    const [origin, path] = start < 0 ? [url, "/"] : [url.slice(0, start), url.slice(start)];
    return new Promise((resolve) => {
      const answer = new TimedAnswer((received) => {
        callOff();
        const endedMs = performance.now();
        const { firstByteMs, isReused } = answer;
        const hasBegun = firstByteMs !== null;
        const bodyMs = hasBegun ? endedMs - firstByteMs : 0;
        // That no connection came in time is not that none is to be had.
        const error = answer.failure === "timeout" ? answer.failure : received.error;
        const times = { transportMs: endedMs - startedMs, bodyMs };
        resolve({ answer, came: { ...received, error, ...times, isReused, hasBegun } });
      }, this.#room);
      const callOff = this.#timers.callAt(startedMs + timeoutMs, () => answer.giveUp());
      const sent = { "user-agent": USER_AGENT, "accept-encoding": "identity", ...headers };
      const request = {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers: sent,
        body,
      };
      this.#poolOf(origin).dispatch(request, answer);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #poolOf(origin: string): Dispatcher {
    const pool = this.#pools.get(origin) ?? openPool(origin, this.#connecting);
    this.#pools.set(origin, pool);
    return pool;
  }
}

/** The answer whose request undici is writing: it tells of both in one go. */
let starting: TimedAnswer | null = null;

class TimedAnswer extends Answer {
  firstByteMs: number | null = null;
  isReused = false;
  /** A connection was there, and the request was written. */
  hasStarted = false;
  /** As it was told, whether or not anything was sent. */
  failure: TransportError | null = null;

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    starting = this;
    this.hasStarted = true;
    super.onRequestStart(controller);
  }

  override onResponseError(controller: unknown, error: Error): void {
    this.failure ??= transportError(error);
    super.onResponseError(controller, error);
  }

  override giveUp(): void {
    this.failure ??= "timeout";
    super.giveUp();
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
  ): void {
    this.firstByteMs = performance.now();
    super.onResponseStart(controller, status, headers);
  }
}

const used = new WeakSet<object>();
let isWatching = false;

/** undici gives a handler no connection; its channel does. Source: undici, DiagnosticsChannel. */
function watchConnections(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe("undici:client:sendHeaders", (message) => {
    const { socket } = message as { socket: object };
    if (starting !== null) starting.isReused = used.has(socket);
    starting = null;
    used.add(socket);
  });
}
