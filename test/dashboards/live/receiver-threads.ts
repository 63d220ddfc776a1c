/** Finds the threads that something starts, so that a test can end one as a crash would. */

import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";

type Thread = InstanceType<typeof workerThreads.Worker>;

/** What `start` gives back, and the threads that it started until then. */
export async function withThreads<Result>(
  start: () => Promise<Result>,
): Promise<{ result: Result; threads: readonly Thread[] }> {
  const { Worker } = workerThreads;
  const threads: Thread[] = [];
  class Noted extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      threads.push(this);
    }
  }
  workerThreads.Worker = Noted;
  syncBuiltinESMExports();
  try {
    return { result: await start(), threads };
  } finally {
    workerThreads.Worker = Worker;
    syncBuiltinESMExports();
  }
}
