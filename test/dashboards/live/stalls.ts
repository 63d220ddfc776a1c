/** How long this process stood still: then its worlds did, too, and nothing can be told of them. */

import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Stalls {
  /** The longest so far, in milliseconds. */
  longestMs(): number;
  close(): void;
}

export function watchStalls(): Stalls {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  return {
    longestMs: () => delays.max / 1e6,
    close: () => void delays.disable(),
  };
}
