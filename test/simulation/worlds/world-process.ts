/** A child process that judges healthy services in the surroundings that it is told, in turn. */

import type { WorldRun } from "./run.ts";
import { judgeWorld } from "./run.ts";

process.on("message", (run: WorldRun) => {
  judgeWorld(run).then(
    (record) => process.send?.({ record, error: null }),
    (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.send?.({ record: null, error: text });
    },
  );
});
