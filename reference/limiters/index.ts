/** The kinds of rate limiter that the service can be started with. */

import type { Choices } from "../choices.ts";
import { fixedWindow } from "./fixed-window.ts";
import { gcra } from "./gcra.ts";
import type { Limiter, LimiterOptions, Take } from "./limiter.ts";
import { queue } from "./queue.ts";
import { slidingCounter } from "./sliding-counter.ts";
import { slidingLog } from "./sliding-log.ts";
import { tickingBucket } from "./ticking-bucket.ts";
import { tokenBucket } from "./token-bucket.ts";

const KINDS: Readonly<Record<Choices["limiter"], (options: LimiterOptions) => Take>> = {
  "token-bucket": tokenBucket,
  gcra,
  "fixed-window": (options) => fixedWindow(options, false),
  "aligned-window": (options) => fixedWindow(options, true),
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  queue,
  "ticking-bucket": tickingBucket,
};

export function createLimiter(kind: Choices["limiter"], options: LimiterOptions): Limiter {
  return { take: KINDS[kind](options) };
}
