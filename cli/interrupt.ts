/** Ctrl-C: the first asks for an orderly end, the second ends at once. */

import { EXIT } from "../report/exit-codes.ts";

export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    // Leaving through process.exit lets the runner kill the k6 that it started.
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}
