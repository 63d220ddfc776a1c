/** A state of health of the embedded service in which it is judged. */

import type { PromiseId } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Variant } from "../../contract/states.ts";
import type { GivenOptions } from "../../reference/options.ts";
import type { FrontKind } from "../fronts/front.ts";

/** Plain data, so that it can be sent to another process. */
export interface Condition {
  variant: Variant;
  faults?: readonly string[];
  choices?: GivenOptions["choices"];
  /** null judges all promises. */
  only: readonly PromiseId[] | null;
  /** Names of the keys that take part; all when left out. */
  keys?: readonly string[];
  seed?: number;
  /** In the simulation; left out: standard. */
  profile?: RunResult["profile"];
  /** Of the embedded service's clock with real k6; 1 for real time, and the profile for it. */
  timeScale?: number;
  /** What stands before it with real k6; processes have to trust test/fronts/certificate.ts. */
  front?: FrontKind;
}

/** With real k6 and sockets, or all in one process on virtual time. */
export type Means = "real" | "simulated";
