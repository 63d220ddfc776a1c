/** Which key reads an account that several of a load's keys belong to. */

import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import type { LoadedKey } from "../load/offered/rates.ts";

/** The one with the most room beside its submissions, which reads as often as any may. */
export function keyByAccount(keys: readonly LoadedKey[]): ReadonlyMap<string, LoadedKey> {
  const chosen = new Map<string, LoadedKey>();
  for (const key of keys) {
    const known = chosen.get(accountOf(key));
    const isFaster = known === undefined || key.submitPerSecond > known.submitPerSecond;
    if (isFaster) chosen.set(accountOf(key), key);
  }
  return chosen;
}
