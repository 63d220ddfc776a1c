/** The kinds of rate limiter that the service can be started with. */

import type { Choices } from "../choices.ts";
import { cooldown } from "./cooldown.ts";
import { fixedWindow } from "./fixed-window.ts";
import { gcra } from "./gcra.ts";
import type { Limiter, LimiterOptions, Take } from "./limiter.ts";
import { queue } from "./queue.ts";
import { slidingCounter } from "./sliding-counter.ts";
import { slidingLog } from "./sliding-log.ts";
import { tickingBucket } from "./ticking-bucket.ts";
import { tokenBucket } from "./token-bucket.ts";

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
  "ticking-bucket": tickingBucket(SECOND_MS),
  "fast-ticking-bucket": tickingBucket(FAST_TICK_MS),
  cooldown,
};

export function createLimiter(
  kind: Choices["limiter"],
  options: LimiterOptions,
  instances: Choices["limiterInstances"] = "one",
): Limiter {
  const create = KINDS[kind];
  const isShared = instances === "one" || kind === "sliding-counter";
  return { take: isShared ? create(options) : inTurn(create, options) };
}

/**
 * A key's requests go to two instances in turn, each of which knows half of its limit. A sliding
 * counter is shared by them: of a small plan, what each rounds down would be too much.
 */
function inTurn(create: (options: LimiterOptions) => Take, options: LimiterOptions): Take {
  const sustained = options.sustained / 2;
  const bursts = [Math.ceil(options.burst / 2), Math.floor(options.burst / 2)];
  const instances = bursts.map((burst) => create({ ...options, sustained, burst }));
  let asked = 0;
  return (nowMs) => {
    const take = instances[asked % instances.length];
    asked += 1;
    if (take === undefined) throw new Error("a limiter has no instance");
    return take(nowMs);
  };
}
