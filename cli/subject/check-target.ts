/** Asks a target the cheap questions, before anything else is done with it. */

import type { Preflight, PreflightOptions } from "../../gate/preflight.ts";
import { preflight } from "../../gate/preflight.ts";
import { PreflightError } from "../present-error.ts";

/** Throws PreflightError, with all that was found, where a run is pointless. */
export async function checkTarget(options: PreflightOptions): Promise<Preflight> {
  const found = await preflight(options);
  if (found.problems.length > 0) throw new PreflightError(found.problems);
  return found;
}
