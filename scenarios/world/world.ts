/**
 * All that a scenario knows of the outside: time, chance, requests, its environment, a place for
 * evidence, and its share of the load. k6 is one world; a simulation is another.
 */

import type { Exchange } from "../../contract/requests/exchange.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import type { Shard } from "../../contract/run/shards.ts";

/** One request on the wire; one attempt, no redirects followed. */
export interface WireRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Sent as it is; null sends no body. */
  body: string | null;
  timeoutMs: number;
  /** Name under which metrics count it: the route, never an address with an identifier. */
  name: string;
}

/** What came back, as an exchange has it; the `body` is empty where `error` is set. */
export type WireResponse = Required<
  Pick<Exchange, "status" | "headers" | "body" | "error" | "transportMs" | "bodyMs" | "isReused">
>;

/** Of a success neither headers nor body are read: that takes longer than all else. */
export type BriefAnswer = Pick<
  WireResponse,
  "status" | "headers" | "body" | "error" | "transportMs"
>;

export const isBrief = (status: number): boolean => status >= 200 && status < 300;

export interface World {
  /** Whole milliseconds since the epoch, from a clock that never steps. */
  now(): number;
  /** Resolves once so many milliseconds have passed; at once when negative. */
  delay(ms: number): Promise<void>;
  /** Resolves always: a transport error is part of the response. */
  request(request: WireRequest): Promise<WireResponse>;
  /**
   * For a request that is sent thousands of times: each call of what is returned sends it once, and
   * `onAnswer` is told what came back.
   */
  prepare(request: WireRequest, onAnswer: (answer: BriefAnswer) => void): () => void;
  /** Chance that nobody can continue, for tokens. */
  randomBytes(count: number): Uint8Array;
  /** Value of an environment variable; undefined when it is not set. */
  env(name: string): string | undefined;
  /** Hands one record of evidence to whoever reads this run. */
  emit(record: EvidenceRecord): void;
  shard: Shard;
  /** When the run began, in ms since the epoch; the same for all shards of one process. */
  beganAtMs(): number;
}

export function delayUntil(world: Pick<World, "now" | "delay">, atMs: number): Promise<void> {
  return world.delay(atMs - world.now());
}

/** `prepare` of a world in which reading an answer costs nothing. */
export function preparing(request: World["request"]): World["prepare"] {
  const briefly = ({ status, headers, body, error, transportMs }: WireResponse): BriefAnswer => {
    const said = isBrief(status) ? { headers: {}, body: "" } : { headers, body };
    return { status, error, transportMs, ...said };
  };
  return (wire, onAnswer) => () => void request(wire).then((each) => onAnswer(briefly(each)));
}
