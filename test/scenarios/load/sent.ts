/** Keys and entries of a load whose requests nobody sends. */

import { newKeyWatch } from "../../../contract/judges/load/within-plan.ts";
import type { LoadPart } from "../../../contract/run/run-plan.ts";
import type { Entry } from "../../../scenarios/load/followed/ledger.ts";
import { newEntry } from "../../../scenarios/load/followed/ledger.ts";
import type { LoadedKey } from "../../../scenarios/load/offered/rates.ts";

export function loadedKey(name: string, submitPerSecond: number): LoadedKey {
  return {
    name,
    account: null,
    submitPerSecond,
    pacer: { turn: async () => {}, holdUntil: () => {}, slowDown: () => {} },
    heldUntilMs: 0,
    isListed: false,
    watch: newKeyWatch(null),
  };
}

const KEY = loadedKey("one", 1);

export function sent(part: LoadPart, sentAtMs: number, workerId = "sleep"): Entry {
  const worker = { id: workerId, input: {} };
  const token = `${part}-${sentAtMs}`;
  return newEntry({ token, mixPart: { part, worker, weight: 1 }, key: KEY, third: 0, sentAtMs });
}
