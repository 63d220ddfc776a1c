/** Hands each webhook delivery to the run whose token it carries. */

import { randomBytes } from "node:crypto";

import type { Delivery } from "../../contract/delivery.ts";
import { deliveryUrl } from "../../contract/delivery.ts";
import type { Emit } from "../events.ts";

/** What the desk needs of a receiver. */
export interface Arrivals {
  publicUrl: string;
  arrivals(query: {
    after: number;
    waitMs: number;
  }): Promise<{ deliveries: Delivery[]; next: number }>;
  forget(tokens: readonly string[]): Promise<void>;
}

export interface DeliveryDesk {
  /** A token of a submission's own. */
  newToken(): string;
  urlOf(token: string): string;
  /** Calls back for each delivery; gives back what ends the watch. */
  watch(token: string, onDelivery: (delivery: Delivery) => void): () => void;
  /** Reads arrivals until the signal; runs that resume must be watching before. */
  start(signal: AbortSignal): void;
}

/** Every token begins so, that the receiver can turn strangers away unread. */
export const TOKEN_PREFIX = "probe-";
/** Ours: an arrival ends the wait at once; this only bounds how long a shutdown takes. */
const WAIT_MS = 2_000;

export function openDeliveryDesk(receiver: Arrivals, emit: Emit): DeliveryDesk {
  const watchers = new Map<string, (delivery: Delivery) => void>();
  async function read(signal: AbortSignal): Promise<void> {
    let after = 0;
    while (!signal.aborted) {
      const { deliveries, next } = await receiver.arrivals({ after, waitMs: WAIT_MS });
      after = next;
      for (const delivery of deliveries) {
        const watcher = watchers.get(delivery.token);
        if (watcher === undefined) {
          emit({ type: "delivery", run: null, outcome: "unknown_token", delay: null });
        } else watcher(delivery);
      }
    }
  }
  return {
    newToken: () => TOKEN_PREFIX + randomBytes(16).toString("base64url"),
    urlOf: (token) =>
      deliveryUrl(receiver.publicUrl, token, [{ kind: "status", status: 200, delayMs: 0 }]),
    watch(token, onDelivery) {
      watchers.set(token, onDelivery);
      return () => {
        watchers.delete(token);
        receiver.forget([token]).catch(() => {});
      };
    },
    // The receiver rejects once it is closed, which is how the last read ends.
    start: (signal) => void read(signal).catch(() => {}),
  };
}
