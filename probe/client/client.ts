/**
 * One request of the probe and what came of it: a single attempt, no redirect followed, every time
 * limit explicit, the body capped before and after it is unpacked. It is undici's `dispatch` with a
 * handler of our own: streams, abort signals and their clean-up cost several times what a look is
 * worth.
 */

import { performance } from "node:perf_hooks";
import { Pool } from "undici";
import { TimerQueue } from "../../clock/timer-queue.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { RouteName } from "../../contract/routes.ts";
import { API_KEY_HEADER, routePath } from "../../contract/routes.ts";
import type { Clock } from "../clock.ts";
import { Answer } from "./answer.ts";

/** Ours: a service that takes longer than this to answer a small request is as good as away. */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** Ours: a share of the plan's rate needs few; thousands of jobs in flight need some more. */
const CONNECTIONS_MAX = 64;

export interface ProbeRequest {
  method?: "GET" | "POST" | "DELETE" | "PATCH" | "PUT";
  route: RouteName;
  /** Value of the route's parameter: a worker or a job. */
  parameter?: string;
  /** Query without the question mark, encoded already. */
  query?: string;
  body?: unknown;
  /** The answer is waited for no longer than this, whatever the client's own limit. */
  timeoutMs?: number;
}

export interface Client {
  /** Never rejects: what went wrong is in the exchange. */
  send(request: ProbeRequest): Promise<Exchange>;
  close(): Promise<void>;
}

export interface ClientOptions {
  baseUrl: string;
  /** The name under which exchanges list the key, and its value. */
  key: { name: string; value: string };
  clock: Clock;
}

export function createClient(options: ClientOptions): Client {
  return new PoolClient(options);
}

class PoolClient implements Client {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #keyName: string;
  /** What stands before the path of a route. */
  readonly #prefix: string;
  readonly #headers: string[];
  readonly #headersWithBody: string[];
  /** Of the machine's time: a test's clock says nothing of answers that come over a socket. */
  readonly #timers = new TimerQueue(() => performance.now());

  constructor({ baseUrl, key, clock }: ClientOptions) {
    const { origin, pathname } = new URL(baseUrl);
    this.#pool = new Pool(origin, {
      connect: { timeout: CONNECT_TIMEOUT_MS },
      connections: CONNECTIONS_MAX,
      // Over HTTP/2 undici sends again what a stream refused, submissions among them.
      allowH2: false,
      // Each request has a limit of its own, which is for the whole answer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#clock = clock;
    this.#keyName = key.name;
    this.#prefix = pathname.replace(/\/$/, "");
    // Packed answers are not asked for: small ones gain nothing by it.
    const always = ["accept", "application/json", "accept-encoding", "identity"];
    this.#headers = [...always, API_KEY_HEADER, key.value];
    this.#headersWithBody = [...this.#headers, "content-type", "application/json"];
  }

  send(request: ProbeRequest): Promise<Exchange> {
    const { method = "GET", route, parameter, query, body, timeoutMs } = request;
    // An identifier with half a character can't be encoded: it is sent with a sign in its place.
    const path = routePath(route, parameter?.toWellFormed()) + (query ? `?${query}` : "");
    const requestBody = body === undefined ? null : JSON.stringify(body);
    const key = this.#keyName;
    const sentAtMs = this.#clock.nowMs();
    const limitMs = Math.max(1, Math.min(timeoutMs ?? ANSWER_TIMEOUT_MS, ANSWER_TIMEOUT_MS));
    return new Promise((resolve) => {
      const answer = new Answer(({ status, headers, body, error }) => {
        callOff();
        const receivedAtMs = this.#clock.nowMs();
        const asked = { method, route, path, key, requestBody, sentAtMs, receivedAtMs };
        resolve({ ...asked, status, headers, body, error });
      });
      const callOff = this.#timers.callAt(performance.now() + limitMs, () => answer.giveUp());
      this.#dispatch(method, path, requestBody, answer);
    });
  }

  #dispatch(method: string, path: string, body: string | null, answer: Answer): void {
    const headers = body === null ? this.#headers : this.#headersWithBody;
    // Sent as it stands: in a URL an identifier such as ".." would be taken for a step upwards.
    this.#pool.dispatch({ method, path: this.#prefix + path, headers, body }, answer);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
