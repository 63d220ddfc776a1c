/** What every command is given besides its flags. */

import type { Output } from "./output.ts";
import type { Environment } from "./target-file/key-checks.ts";

export interface Context {
  environment: Environment;
  output: Output;
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}
