/** Deliveries that tests make up. */

import type { Delivery } from "../../contract/jobs/delivery.ts";
import { ANSWER_OK } from "../../contract/jobs/delivery.ts";

type Needed = Pick<Delivery, "token" | "attempt" | "arrivedAtMs" | "body">;

/** In JSON, without a signature, and answered 200 as soon as it came, unless told otherwise. */
export function arrived(given: Needed & Partial<Delivery>): Delivery {
  return {
    method: "POST",
    contentType: "application/json",
    headers: {},
    bodyBytes: given.body.length,
    truncated: false,
    signedAtMs: null,
    signature: "present",
    answer: ANSWER_OK,
    answeredAtMs: given.arrivedAtMs,
    hungUpAtMs: null,
    requestsBefore: 0,
    ...given,
  };
}
