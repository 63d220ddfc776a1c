/**
 * Requests to any address, as many at once as are asked for: what a load sends, with the times and
 * the connection of each. A single attempt, no redirect followed; as client.ts else.
 */

import { subscribe } from "node:diagnostics_channel";
import { performance } from "node:perf_hooks";
import type { Dispatcher } from "undici";
import { TimerQueue } from "../clock/timer-queue.ts";
import { USER_AGENT } from "../contract/routes.ts";
import type { Headers, Received } from "./answer.ts";
import { Answer, Room } from "./answer.ts";
import { openPool } from "./client.ts";

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

export class WireClient {
  readonly #pools = new Map<string, Dispatcher>();
  readonly #room = new Room();
  readonly #timers = new TimerQueue(() => performance.now());

  constructor() {
    watchConnections();
  }

  /**
   * Resolves always: a transport error is part of what came. What reads alone is sent again where a
   * connection that had served before closes before a byte of the answer, as Go's client does: a
   * service may close one that idles at any moment. RFC 9112 §9.5.
   */
  async send(request: OnWire): Promise<Came> {
    const startedMs = performance.now();
    for (;;) {
      const came = await this.#sendOnce(request, startedMs);
      const isClosedIdle = came.error === "reset" && came.isReused && !came.hasBegun;
      if (!isClosedIdle || request.method !== "GET") return came;
    }
  }

  #sendOnce({ method, url, headers, body, timeoutMs }: OnWire, startedMs: number): Promise<Came> {
    const start = url.indexOf("/", url.indexOf("//") + 2);
    const [origin, path] = start < 0 ? [url, "/"] : [url.slice(0, start), url.slice(start)];
    return new Promise((resolve) => {
      const answer = new TimedAnswer((received) => {
        callOff();
        const endedMs = performance.now();
        const { firstByteMs, isReused } = answer;
        const hasBegun = firstByteMs !== null;
        const bodyMs = hasBegun ? endedMs - firstByteMs : 0;
        resolve({ ...received, transportMs: endedMs - startedMs, bodyMs, isReused, hasBegun });
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
    const pool = this.#pools.get(origin) ?? openPool(origin, {});
    this.#pools.set(origin, pool);
    return pool;
  }
}

/** The answer whose request undici is writing: it tells of both in one go. */
let starting: TimedAnswer | null = null;

class TimedAnswer extends Answer {
  firstByteMs: number | null = null;
  isReused = false;

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    starting = this;
    super.onRequestStart(controller);
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
