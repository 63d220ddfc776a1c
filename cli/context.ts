/** What every command is given besides its flags. */

import type { Environment } from "../runner/executables.ts";
import type { Ask } from "./ask.ts";
import type { Interruption } from "./interrupt.ts";
import type { Output } from "./output.ts";

export interface Context extends Interruption {
  environment: Environment;
  output: Output;
  /** null where there is nobody to ask. */
  ask: Ask | null;
}
