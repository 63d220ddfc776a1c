/** The suite's receiver in the simulation: its own store, desk and scripts, on virtual time. */

import type { ArrivalsAnswer, Delivery, ReceiverAccess } from "../contract/jobs/delivery.ts";
import { isVouched, QUERY_SECRET_VARIABLE } from "../contract/jobs/delivery.ts";
import { signatureAccess } from "../receiver/access.ts";
import { answerHeaders, createRouter, stepOf } from "../receiver/delivery-route.ts";
import { DeliveryStore } from "../receiver/delivery-store.ts";
import type { ReceiverOptions, SignatureOptions } from "../receiver/options.ts";
import { fillOptions } from "../receiver/options.ts";
import { isDelivery } from "../receiver/public-listener.ts";
import { QueryDesk } from "../receiver/query-desk.ts";
import {
  readArrivalsQuery,
  readDeliveriesQuery,
  readForgetRequest,
} from "../receiver/questions.ts";
import type { SignatureChecker } from "../receiver/signature.ts";
import {
  createSignatureChecker,
  shownHeaders,
  signedHeaders,
  unnamedSignature,
} from "../receiver/signature.ts";
import type { ServedAnswer, ServedRequest } from "./http.ts";
import type { Machine } from "./machine.ts";
import { Program } from "./machine.ts";

/** Any will do, but that of the service. */
export const PORTS = { public: 9001, query: 9002, refusing: 9003 } as const;

/** Processor time of the receiver for a delivery and for a question, in ms. Ours: as measured. */
const COST = { delivery: 0.1, question: 0.1 } as const;

export interface ReceiverSetup {
  /** The machine's name or address, as the service reaches it. */
  host: string;
  tokenPrefix: string;
  signature: SignatureOptions;
}

export interface DeliveredRequest extends ServedRequest {
  /** How long its connection had been open; undefined after the first. */
  openedForMs?: number | undefined;
}

export class SimulatedReceiver {
  readonly access: ReceiverAccess;
  readonly #program: Program;
  readonly #machine: Machine;
  readonly #options: ReceiverOptions;
  readonly #store: DeliveryStore;
  readonly #checker: SignatureChecker;
  readonly #desk: QueryDesk;
  readonly #route = createRouter(null);
  /** How many came on each connection. */
  readonly #requests = new WeakMap<object, number>();
  #isOpen = false;

  constructor(machine: Machine, { host, tokenPrefix, signature }: ReceiverSetup) {
    this.#machine = machine;
    this.#program = new Program(machine);
    this.#options = fillOptions({ tokenPrefix, signature });
    this.#store = new DeliveryStore(this.#options);
    const { clock } = machine;
    this.#checker = createSignatureChecker(signature);
    this.#desk = new QueryDesk(this.#store, this.#checker, clock);
    this.access = {
      publicUrl: `http://${host}:${PORTS.public}`,
      queryUrl: `http://127.0.0.1:${PORTS.query}`,
      refusingUrl: `http://${host}:${PORTS.refusing}`,
      querySecretEnv: QUERY_SECRET_VARIABLE,
      tokenPrefix,
      signature: signatureAccess(signature),
    };
  }

  /** Whether a connection to that address is taken. */
  isListening(origin: string): boolean {
    return origin !== this.access.refusingUrl || this.#isOpen;
  }

  /**
   * A delivery arrives: stamped at once, kept, and answered by its script. What is given back tells
   * it that the sender hung up.
   */
  deliver(request: DeliveredRequest, reply: (answer: ServedAnswer) => void): () => void {
    const { clock } = this.#machine;
    let hangUp = () => {};
    this.#program.enqueue(COST.delivery, () => {
      const arrivedAtMs = clock.nowMs();
      const route = this.#route(request.target);
      if (route.kind !== "delivery") return reply(answerOf(404));
      if (!isDelivery(request.method)) return reply(answerOf(405));
      if (!route.token.startsWith(this.#options.tokenPrefix ?? "")) return reply(answerOf(404));
      const attempt = this.#store.countAttempt(route.token);
      const step = stepOf(route.steps, attempt);
      const headers = headersOf(request.rawHeaders);
      const body = Buffer.from(request.body);
      const kept = body.subarray(0, this.#options.bodyCapBytes);
      const signed = signedHeaders(headers, this.#options.signature.header);
      const check = this.#checker(signed);
      check.take(body);
      const delivery = this.#store.list({
        token: route.token,
        attempt,
        arrivedAtMs,
        method: request.method,
        contentType: headers["content-type"] ?? null,
        headers: shownHeaders(headers, this.#options.signature.header),
        ...unnamedSignature(headers, this.#options.signature.header),
        body: kept,
        bodyBytes: body.length,
        truncated: kept.length < body.length,
        signed,
        ...check.end(true),
        answer: step,
        answeredAtMs: null,
        hungUpAtMs: null,
        requestsBefore: this.#countBefore(request.connection),
        openedForMs: request.openedForMs,
      });
      hangUp = () => {
        if (delivery.answeredAtMs === null) delivery.hungUpAtMs = clock.nowMs();
      };
      if (step.kind === "silent") return;
      const answer =
        step.kind === "reset"
          ? { ...answerOf(0), isReset: true }
          : {
              ...answerOf(step.status),
              headers: answerHeaders(step.status, request.target),
              bodyMs: step.bodyMs ?? 0,
            };
      const write = () => {
        if (delivery.hungUpAtMs !== null) return;
        delivery.answeredAtMs = clock.nowMs();
        reply(answer);
      };
      // At once is before anybody has read of the delivery.
      if (step.kind !== "status" || step.delayMs === 0) write();
      else clock.at(arrivedAtMs + step.delayMs, write);
    });
    return () => hangUp();
  }

  #countBefore(connection: object): number {
    const before = this.#requests.get(connection) ?? 0;
    this.#requests.set(connection, before + 1);
    return before;
  }

  /** The query interface, as scenarios ask it over HTTP. */
  query({ method, target, body }: ServedRequest, reply: (answer: ServedAnswer) => void): void {
    this.#program.enqueue(COST.question, () => {
      void this.#answer(method, target, body).then((found) =>
        reply({ ...answerOf(200), body: JSON.stringify(found) }),
      );
    });
  }

  /** Whether one of the token's deliveries is surely the service's. */
  async hasVouched(token: string): Promise<boolean> {
    const { scheme } = this.access.signature;
    return (await this.deliveries(token)).some((each) => isVouched(scheme, each));
  }

  async deliveries(token: string): Promise<readonly Delivery[]> {
    const { deliveries } = await this.#desk.deliveries(new Map([[token, 0]]), { waitMs: 0 }, NEVER);
    return deliveries;
  }

  /** What arrived since, as a program of the same process asks. */
  arrivals(query: { after: number; waitMs: number }): Promise<ArrivalsAnswer> {
    return this.#desk.arrivals(readArrivalsQuery(query), NEVER);
  }

  forget(tokens: readonly string[]): void {
    this.#desk.forget(tokens);
  }

  async #answer(method: string, target: string, body: string): Promise<unknown> {
    const [path = "", search = ""] = target.split("?", 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    switch (`${method} ${path}`) {
      case "GET /deliveries": {
        const { tokens, ...waiting } = readDeliveriesQuery(query);
        return await this.#desk.deliveries(tokens, waiting, NEVER);
      }
      case "GET /arrivals":
        return await this.#desk.arrivals(readArrivalsQuery(query), NEVER);
      case "POST /forget":
        this.#desk.forget(readForgetRequest(JSON.parse(body)));
        return {};
      case "POST /open-refusing":
        this.#isOpen = true;
        return {};
      case "GET /stats":
        return this.stats();
      default:
        throw new Error(`the simulated receiver knows no ${method} ${path}`);
    }
  }

  stats() {
    const { clock, stalls } = this.#machine;
    const nowMs = clock.nowMs();
    const before = stalls.findLastIndex(({ toMs }) => toMs <= nowMs - RECENT_MS);
    const recent = stalls.slice(before + 1).filter(({ toMs }) => toMs <= nowMs);
    const hostLags = recent.map((stall) => ({ ...stall, lagMs: stall.toMs - stall.fromMs }));
    const hostLagMs = Math.max(0, ...hostLags.map(({ lagMs }) => lagMs));
    return {
      evictedDeliveries: this.#store.evictedDeliveries,
      evictedTokens: this.#store.evictedTokens,
      loopDelayMsP99: 0,
      hostLagMs,
      hostLags,
      runnablePerCore: 0,
    };
  }
}

/** A question that nobody takes back. */
const NEVER = new AbortController().signal;

/** As the receiver's own: it tells of the last 10 s. */
const RECENT_MS = 10_000;

function answerOf(status: number): ServedAnswer {
  return { status, headers: {}, body: "", isReset: false, bodyMs: 0 };
}

function headersOf(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers[(rawHeaders[index] ?? "").toLowerCase()] = rawHeaders[index + 1] ?? "";
  }
  return headers;
}
