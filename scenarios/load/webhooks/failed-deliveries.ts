/** What a load remembers of the first deliveries that it lets fail. */

import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";

export interface Retries {
  /** Webhooks that were asked for with an answer that fails. */
  asked: number;
  /** Of those, by the name of the key that submitted the job. */
  readonly askedOf: Map<string, number>;
  /**
   * Those that another attempt has come after, by their tokens, as few as are asked for; null where
   * it came too soon, or was not seen to be answered 200.
   */
  readonly over: Map<string, TakenRetry | null>;
  /** Failed ones that nothing has come after yet, by their tokens. */
  open: Map<string, FailedDelivery>;
}

export interface TakenRetry {
  id: string;
  arrivedAtMs: number;
}

export interface FailedDelivery {
  id: string;
  first: Delivery;
  exchanges: readonly Exchange[];
  signer: string | null;
}

export function noRetries(): Retries {
  return { asked: 0, askedOf: new Map(), over: new Map(), open: new Map() };
}
