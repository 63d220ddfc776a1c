/** Limits that several machines share, or that hang on the connection by which a request came. */

import type { RateLimit } from "../../contract/plans.ts";
import type { Hooks } from "../hooks.ts";
import { fixedWindow } from "../limiters/fixed-window.ts";
import type { LimiterOptions, Take } from "../limiters/limiter.ts";
import { tokenBucket } from "../limiters/token-bucket.ts";

/** A connection's number, for allowances that hang on it. */
export function connectionNumbers(): (connection: object) => number {
  const known = new WeakMap<object, number>();
  let count = 0;
  return (connection) => {
    const number = known.get(connection) ?? ++count;
    known.set(connection, number);
    return number;
  };
}

const REPLICAS = 2;

/** Each replica has its part of the plan, and a key's requests meet them in turn. */
export function replicasInTurn(
  { sustained, burst, refusedCount }: LimiterOptions,
  create: (options: LimiterOptions) => Take = tokenBucket,
): Take {
  const part = { sustained: sustained / REPLICAS, burst: burst / REPLICAS, refusedCount };
  const even = create(part);
  const odd = create(part);
  let count = 0;
  return (nowMs) => (count++ % REPLICAS === 0 ? even : odd)(nowMs);
}

/**
 * Each replica has its part of the plan in windows of its own, which begin with the first request
 * that it meets. A key's requests meet them in turn: one tells a wait, and the other refuses.
 */
export function windowsByReplica(): Partial<Hooks> {
  const known = new Map<string, Take>();
  const takeOf = (name: string, limit: RateLimit): Take => {
    const create = (options: LimiterOptions) => fixedWindow(options, false);
    const take = known.get(name) ?? replicasInTurn({ ...limit, refusedCount: false }, create);
    known.set(name, take);
    return take;
  };
  return {
    decision: (_, { name, sustained, burst }, _request, nowMs) =>
      takeOf(name, { sustained, burst })(nowMs),
  };
}

/** Each replica limits keys to its part of the plan; connections are spread over them in turn. */
export function halfByConnection(): Partial<Hooks> {
  const number = connectionNumbers();
  const known = new Map<string, Take>();
  const takeOf = (name: string, { sustained, burst }: RateLimit): Take => {
    const part = { sustained: sustained / REPLICAS, burst: burst / REPLICAS };
    const take = known.get(name) ?? tokenBucket({ ...part, refusedCount: false });
    known.set(name, take);
    return take;
  };
  return {
    decision: (_, key, { connection }, nowMs) =>
      takeOf(`${key.name} ${number(connection) % REPLICAS}`, key)(nowMs),
  };
}
