/** V8's own collector: what is reachable is known after it alone. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** It is only there by a flag, which can be set late (node:v8). */
export function exposedCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}
