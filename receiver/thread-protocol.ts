/** What the main thread and the receiver's thread say to each other. */

import type { ArrivalsAnswer, Delivery, ReceiverAccess } from "../contract/jobs/delivery.ts";
import type { ReceiverErrorCode } from "./listen.ts";
import type { ReceiverStats } from "./query-schema.ts";
import type { ArrivalsQuery } from "./questions.ts";

/** Calls with what is given and what comes back. */
export interface Calls {
  deliveries: { given: { token: string }; answer: Delivery[] };
  arrivals: { given: { query: ArrivalsQuery }; answer: ArrivalsAnswer };
  forget: { given: { tokens: readonly string[] }; answer: undefined };
  openRefusing: { given: object; answer: undefined };
  stats: { given: object; answer: ReceiverStats };
}

export type Call = { [Name in keyof Calls]: { name: Name } & Calls[Name]["given"] }[keyof Calls];

/** What the main thread sends. */
export type Request =
  | { kind: "call"; id: number; call: Call }
  /** Answers a ping. */
  | { kind: "pong" }
  | { kind: "close" };

export interface Failure {
  code: ReceiverErrorCode;
  message: string;
}

/** What the thread sends: first `started` or `failed`, then one answer to each call, and pings. */
export type Reply =
  | { kind: "started"; access: ReceiverAccess }
  /** To be answered at once: the time until then is the lag of the main thread. */
  | { kind: "ping" }
  | { kind: "failed"; failure: Failure }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "error"; id: number; failure: Failure };
