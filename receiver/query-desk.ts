/** Answers questions on what arrived, waiting for it where asked to. */

import { createSystemClock } from "../clock/system-clock.ts";
import type {
  ArrivalsAnswer,
  DeliveriesAnswer,
  Delivery,
  Signed,
} from "../contract/jobs/delivery.ts";
import type { Clock } from "../contract/time/clock.ts";
import type { StoredDelivery } from "./delivery-log.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { ArrivalsQuery } from "./questions.ts";
import type { SignatureChecker } from "./signature.ts";
import { signedAtMs } from "./signature.ts";

/** How far each token was read: its deliveries with a higher attempt are new. */
export type ReadTokens = ReadonlyMap<string, number>;

interface Waiting {
  waitMs: number;
  bodyChars?: number | undefined;
}

export class QueryDesk {
  readonly #store: DeliveryStore;
  readonly #checker: SignatureChecker;
  readonly #clock: Clock;

  constructor(store: DeliveryStore, checker: SignatureChecker, clock: Clock = createSystemClock()) {
    this.#store = store;
    this.#checker = checker;
    this.#clock = clock;
  }

  async deliveries(
    tokens: ReadTokens,
    { waitMs, bodyChars }: Waiting,
    signal: AbortSignal,
  ): Promise<DeliveriesAnswer> {
    const read = () => [...tokens].flatMap(([token, after]) => this.#store.ofToken(token, after));
    const isNew = ({ token, attempt }: StoredDelivery) =>
      attempt > (tokens.get(token) ?? Number.POSITIVE_INFINITY);
    let found = read();
    if (found.length === 0 && (await this.#arrival(isNew, waitMs, signal))) found = read();
    return {
      deliveries: found.map((each) => this.#shown(each, bodyChars)),
      now: this.#clock.nowMs(),
    };
  }

  async arrivals(query: ArrivalsQuery, signal: AbortSignal): Promise<ArrivalsAnswer> {
    const isNew = ({ token }: StoredDelivery) => token.startsWith(query.prefix);
    let page = this.#page(query);
    if (page.found.length === 0 && (await this.#arrival(isNew, query.waitMs, signal))) {
      page = this.#page(query);
    }
    return {
      deliveries: page.found.map((each) => this.#shown(each, query.bodyChars)),
      next: page.next,
      evicted: this.#store.evictedDeliveries,
      now: this.#clock.nowMs(),
    };
  }

  forget(tokens: Iterable<string>): void {
    for (const token of tokens) this.#store.forget(token);
  }

  #page({ after, limit, prefix }: ArrivalsQuery): { found: StoredDelivery[]; next: number } {
    const found: StoredDelivery[] = [];
    let next = after;
    for (const delivery of this.#store.after(after)) {
      if (found.length === limit) break;
      next = delivery.sequence;
      if (delivery.token.startsWith(prefix)) found.push(delivery);
    }
    return { found, next };
  }

  /** True as soon as a delivery comes that is asked for; false when none came in time. */
  #arrival(
    isNew: (delivery: StoredDelivery) => boolean,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (waitMs === 0 || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (came: boolean) => {
        callOff();
        stopListening();
        signal.removeEventListener("abort", giveUp);
        resolve(came);
      };
      const giveUp = () => end(false);
      const callOff = this.#clock.after(waitMs, giveUp);
      const stopListening = this.#store.onListed((delivery) => {
        if (isNew(delivery)) end(true);
      });
      signal.addEventListener("abort", giveUp);
    });
  }

  #signatureOf(stored: StoredDelivery): Signed {
    const { body, signed, truncated, signature, secretIndex, secretEnvs } = stored;
    if (signature !== null) {
      const index = secretIndex === undefined ? {} : { secretIndex };
      return { signature, ...index, ...(secretEnvs && { secretEnvs }) };
    }
    const check = this.#checker(signed);
    check.take(body);
    const found = check.end(!truncated);
    Object.assign(stored, found);
    return found;
  }

  #shown(stored: StoredDelivery, bodyChars: number | undefined): Delivery {
    const { body, signed, truncated, unnamedSignature, openedForMs } = stored;
    return {
      token: stored.token,
      attempt: stored.attempt,
      arrivedAtMs: stored.arrivedAtMs,
      method: stored.method,
      contentType: stored.contentType,
      headers: stored.headers,
      body: body.toString().slice(0, bodyChars),
      bodyBytes: stored.bodyBytes,
      truncated,
      ...this.#signatureOf(stored),
      ...(unnamedSignature === undefined ? {} : { unnamedSignature }),
      signedAtMs: signedAtMs(signed),
      answer: stored.answer,
      answeredAtMs: stored.answeredAtMs,
      hungUpAtMs: stored.hungUpAtMs,
      requestsBefore: stored.requestsBefore,
      ...(openedForMs === undefined ? {} : { openedForMs }),
    };
  }
}
