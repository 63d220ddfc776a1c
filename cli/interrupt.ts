/** Ctrl-C: the first asks for an orderly end, a later one ends at once. */

import { EXIT } from "../report/exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Ours: one Ctrl-C may arrive several times, as the terminal signals the whole group and npm passes
 * it on as well, and a busy machine wakes npm late: half a second was too short under a load of 50.
 */
const ECHO_MS = 2_000;

export interface Interruption {
  /** Aborted by the first signal that asks for an end. */
  signal: AbortSignal;
  /** Takes SIGHUP for something else than an end, until what it gives back is called. */
  onHangUp(callback: () => void): () => void;
}

export function watchSignals(): Interruption {
  const controller = new AbortController();
  let hangUp: (() => void) | null = null;
  let firstMs = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      firstMs = performance.now();
      controller.abort();
    } else if (performance.now() - firstMs > ECHO_MS) {
      // Leaving through process.exit lets the runner kill the k6 that it started.
      process.exit(EXIT.interrupted);
    }
  };
  for (const name of SIGNALS) {
    process.on(name, () => (name === "SIGHUP" && hangUp !== null ? hangUp() : stop()));
  }
  return {
    signal: controller.signal,
    onHangUp(callback) {
      hangUp = callback;
      return () => {
        hangUp = null;
      };
    },
  };
}
