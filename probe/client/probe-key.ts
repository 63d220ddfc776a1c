/** Which key of a target the probe uses. */

import { activeByRate } from "../../contract/plans.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";

/** The key that the target file names for the probe, or the one with the most room. */
export function keyOf({ keys, probe }: Target): PlanKey {
  const active = activeByRate(keys);
  const named = probe?.key ?? null;
  const key = named === null ? active[0] : active.find(({ name }) => name === named);
  if (key !== undefined) return key;
  const which = named === null ? "no key is active" : `key "${named}" is not active`;
  throw new Error(`${which}; expected one for the probe`);
}
