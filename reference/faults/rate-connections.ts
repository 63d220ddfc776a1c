/** Limits that several machines share, or that hang on the connection by which a request came. */

import type { RateLimit } from "../../contract/plans.ts";
import type { Hooks } from "../hooks.ts";
import { tokenBucket } from "../limiters/buckets.ts";
import type { LimiterOptions, Take } from "../limiters/limiter.ts";
import { fixedWindow } from "../limiters/windows.ts";

/** A limiter for each name, made as it is first asked for. */
export function forEachName(create: (limit: RateLimit) => Take) {
  const known = new Map<string, Take>();
  return (name: string, { sustained, burst }: RateLimit): Take => {
    const take = known.get(name) ?? create({ sustained, burst });
    known.set(name, take);
    return take;
  };
}

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
  const windows = (options: LimiterOptions) => fixedWindow(options, false);
  const takeOf = forEachName((limit) => replicasInTurn({ ...limit, refusedCount: false }, windows));
  return { decision: (_, key, _request, nowMs) => takeOf(key.name, key)(nowMs) };
}

/** Each replica limits keys to its part of the plan; connections are spread over them in turn. */
export function halfByConnection(): Partial<Hooks> {
  const number = connectionNumbers();
  const takeOf = forEachName(({ sustained, burst }) => {
    const part = { sustained: sustained / REPLICAS, burst: burst / REPLICAS };
    return tokenBucket({ ...part, refusedCount: false });
  });
  return {
    decision: (_, key, { connection }, nowMs) =>
      takeOf(`${key.name} ${number(connection) % REPLICAS}`, key)(nowMs),
  };
}
