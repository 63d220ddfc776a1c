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

export function createLimiter(kind: Choices["limiter"], options: LimiterOptions): Limiter {
  return { take: KINDS[kind](options) };
}
