/** Exchanges for the tests of judges: one healthy answer, and what differs. */

import type { StatusCase } from "../../../contract/judges/expected-status.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";

export const T0 = 1_700_000_000_000;

const BASE: Exchange = {
  method: "GET",
  route: "me",
  path: "/v1/me",
  key: "free-a",
  requestBody: null,
  status: 200,
  headers: {},
  body: "{}",
  error: null,
  sentAtMs: T0,
  receivedAtMs: T0 + 5,
};

export function answer(status: number, change: Partial<Exchange> = {}): Exchange {
  return { ...BASE, status, ...change };
}

export function withJson(status: number, body: unknown, change: Partial<Exchange> = {}): Exchange {
  return answer(status, { body: JSON.stringify(body), ...change });
}

export function asked(what: string, ...attempts: readonly Exchange[]): StatusCase {
  return { what, attempts };
}

/** Sent at that time after T0, answered 5 ms later. */
export function at(ms: number): Pick<Exchange, "sentAtMs" | "receivedAtMs"> {
  return { sentAtMs: T0 + ms, receivedAtMs: T0 + ms + 5 };
}
