/** The kinds of rate limiter that the service can be started with. */

import type { Choices } from "../choices.ts";
import { FixedWindow } from "./fixed-window.ts";
import { Gcra } from "./gcra.ts";
import type { Limiter, LimiterOptions } from "./limiter.ts";
import { SlidingCounter } from "./sliding-counter.ts";
import { SlidingLog } from "./sliding-log.ts";
import { TokenBucket } from "./token-bucket.ts";

export function createLimiter(kind: Choices["limiter"], options: LimiterOptions): Limiter {
  switch (kind) {
    case "token-bucket":
      return new TokenBucket(options);
    case "gcra":
      return new Gcra(options);
    case "fixed-window":
      return new FixedWindow(options, false);
    case "aligned-window":
      return new FixedWindow(options, true);
    case "sliding-log":
      return new SlidingLog(options);
    case "sliding-counter":
      return new SlidingCounter(options);
  }
}
