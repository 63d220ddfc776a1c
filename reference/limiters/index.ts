/** The kinds of rate limiter that the service can be started with. */

import type { Choices } from "../choices.ts";
import { cooldown, gcra, tickingBucket, tokenBucket } from "./buckets.ts";
import type { Limiter, LimiterOptions, Take } from "./limiter.ts";
import { delayingBucket, queue } from "./queue.ts";
import { fixedWindow, slidingCounter, slidingLog } from "./windows.ts";

/** Ours: the fill intervals that gateways have as their defaults or in their examples. */
const SECOND_MS = 1_000;
const FAST_TICK_MS = 100;

const KINDS: Readonly<Record<Choices["limiter"], (options: LimiterOptions) => Take>> = {
  "token-bucket": tokenBucket,
  gcra,
  "fixed-window": (options) => fixedWindow(options, false),
  "aligned-window": (options) => fixedWindow(options, true),
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  queue,
  "delaying-bucket": delayingBucket,
  "ticking-bucket": tickingBucket(SECOND_MS),
  "fast-ticking-bucket": tickingBucket(FAST_TICK_MS),
  cooldown,
};

/**
 * Kinds that instances keep in a store that they share. Windows that each began by the requests
 * that it has met would lie apart, so that one tells a wait which the other refuses; and of a
 * small plan's counters, what each rounds down would be too much.
 */
const IN_ONE_STORE: ReadonlySet<Choices["limiter"]> = new Set([
  "fixed-window",
  "sliding-log",
  "sliding-counter",
]);

export function createLimiter(
  kind: Choices["limiter"],
  options: LimiterOptions,
  instances: Choices["limiterInstances"] = "one",
): Limiter {
  const create = KINDS[kind];
  // Halves of an odd burst would tell waits that are too short for one another.
  const isShared = instances === "one" || IN_ONE_STORE.has(kind) || options.burst % 2 === 1;
  return { take: isShared ? create(options) : inTurn(create, options) };
}

/** A key's requests go to two instances in turn, each of which knows half of its limit. */
function inTurn(create: (options: LimiterOptions) => Take, options: LimiterOptions): Take {
  const half = { ...options, sustained: options.sustained / 2, burst: options.burst / 2 };
  const instances = [create(half), create(half)];
  let asked = 0;
  return (nowMs) => {
    const take = instances[asked % instances.length];
    asked += 1;
    if (take === undefined) throw new Error("a limiter has no instance");
    return take(nowMs);
  };
}
