/** Limits that several machines share, or that hang on the connection by which a request came. */

import type { RateLimit } from "../../contract/plans.ts";
import type { Hooks } from "../hooks.ts";
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
export function replicasInTurn({ sustained, burst, refusedCount }: LimiterOptions): Take {
  const part = { sustained: sustained / REPLICAS, burst: burst / REPLICAS, refusedCount };
  const even = tokenBucket(part);
  const odd = tokenBucket(part);
  let count = 0;
  return (nowMs) => (count++ % REPLICAS === 0 ? even : odd)(nowMs);
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
