/** Which key of a target the probe uses. */

import type { PlanKey } from "../../contract/run-plan.ts";
import type { Target } from "../../contract/target.ts";

/** The key that the target file names for the probe, or the one with the most room. */
export function keyOf({ keys, probe }: Target): PlanKey {
  const active = keys.filter(({ state }) => state === "active");
  const named = probe?.key ?? null;
  const roomiest = active.toSorted((a, b) => (b.sustained ?? 0) - (a.sustained ?? 0))[0];
  const key = named === null ? roomiest : active.find(({ name }) => name === named);
  if (key !== undefined) return key;
  const which = named === null ? "no key is active" : `key "${named}" is not active`;
  throw new Error(`${which}; expected one for the probe`);
}
