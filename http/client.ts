/**
 * One request of the suite's own, made outside k6, and what came of it: a single attempt, no
 * redirect followed, every time limit explicit, the body capped before and after it is unpacked. It
 * is undici's `dispatch` with a handler of our own: streams, abort signals and their clean-up cost
 * several times what a poll is worth.
 */

import type { LookupFunction } from "node:net";
import { performance } from "node:perf_hooks";
import { Pool, ProxyAgent } from "undici";

import { nowMs } from "../clock/system-clock.ts";
import { TimerQueue } from "../clock/timer-queue.ts";
import type { Validity } from "../contract/requests/certificate.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { asRead } from "../contract/requests/exchange.ts";
import { Answer, Room } from "./answer.ts";
import { tlsOptions } from "./certificate.ts";
import { proxyFor } from "./proxy.ts";
import type { ClientRequest } from "./request.ts";
import { askedOf, headersOf } from "./request.ts";

/** Ours: a service that takes longer than this to answer a small request is as good as away. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Ours: of an answer; Envoy, which passes on most, takes 60 KiB if nobody tells it otherwise. */
const HEAD_BYTES_MAX = 256 * 1024;

export interface Client {
  /** Rejects only when the caller's own signal ends the request; all else is in the exchange. */
  send(request: ClientRequest): Promise<Exchange>;
  close(): Promise<void>;
}

export interface ClientOptions {
  /** Open at a time at the most; null: as many as there are requests on their way. */
  connectionsMax?: number | null;
  /** No request goes over a connection that was made longer ago; null: they are kept for good. */
  connectionAgeMsMax?: number | null;
  /** For a connection to be there, in ms; left out: five seconds. */
  connectTimeoutMs?: number;
  /** For a whole answer, in ms; left out: fifteen seconds. */
  answerTimeoutMs?: number;
  /** How names become addresses; left out: Node looks each up for each connection. */
  lookup?: LookupFunction;
  /** The clock of exchanges. */
  nowMs?: () => number;
  /** Told of the service's certificate with each new connection over TLS. */
  onCertificate?: (validity: Validity) => void;
}

export function createClient(baseUrl: string, options: ClientOptions = {}): Client {
  return new PoolClient(baseUrl, options);
}

/** Direct, or through the proxy that the environment names, as k6 goes. */
export function openPool(baseUrl: string, options: ClientOptions): Pool | ProxyAgent {
  const { connectionsMax: connections = null, connectionAgeMsMax = null, lookup } = options;
  const { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS } = options;
  const uri = proxyFor(baseUrl, process.env);
  const tls = tlsOptions(options.onCertificate);
  const common = {
    connections,
    ...(connectionAgeMsMax === null ? {} : { clientTtl: connectionAgeMsMax }),
    // Over HTTP/2 undici sends again what a stream refused, submissions among them.
    allowH2: false,
    maxHeaderSize: HEAD_BYTES_MAX,
    // Each request has a limit of its own, which is for the whole answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return uri === null
    ? new Pool(new URL(baseUrl).origin, {
        ...common,
        connect: { timeout, ...tls, ...(lookup === undefined ? {} : { lookup }) },
      })
    : new ProxyAgent({ ...common, uri, connectTimeout: timeout, requestTls: tls });
}

class PoolClient implements Client {
  readonly #pool: Pool | ProxyAgent;
  readonly #origin: string;
  readonly #answerMsMax: number;
  readonly #nowMs: () => number;
  readonly #room = new Room();
  /** What stands before the path of a route. */
  readonly #prefix: string;
  /** Of the machine's time: a test's clock says nothing of answers that come over a socket. */
  readonly #timers = new TimerQueue(() => performance.now());

  constructor(baseUrl: string, options: ClientOptions) {
    const { origin, pathname } = new URL(baseUrl);
    this.#nowMs = options.nowMs ?? nowMs;
    this.#prefix = pathname.replace(/\/+$/, "");
    this.#origin = origin;
    this.#answerMsMax = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    this.#pool = openPool(baseUrl, options);
  }

  async send(request: ClientRequest): Promise<Exchange> {
    const { timeoutMs = this.#answerMsMax, signal } = request;
    signal?.throwIfAborted();
    const asked = { ...askedOf(request), sentAtMs: this.#nowMs() };
    const limitMs = Math.max(1, Math.min(timeoutMs, this.#answerMsMax));
    return new Promise((resolve, reject) => {
      const answer = new Answer((received) => {
        callOff();
        signal?.removeEventListener("abort", abort);
        resolve({ ...asked, receivedAtMs: this.#nowMs(), ...asRead(received) });
      }, this.#room);
      const callOff = this.#timers.callAt(performance.now() + limitMs, () => answer.giveUp());
      const abort = () => {
        reject(signal?.reason);
        answer.giveUp();
      };
      signal?.addEventListener("abort", abort);
      const { method, path, requestBody: body } = asked;
      // Sent as it stands: in a URL an identifier such as ".." would be taken for a step upwards.
      const place = { origin: this.#origin, path: this.#prefix + path };
      this.#pool.dispatch({ ...place, method, headers: headersOf(request), body }, answer);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
