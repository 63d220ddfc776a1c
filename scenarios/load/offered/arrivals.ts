/**
 * Of which part each arrival of a load is, and with which key it goes out: a series that follows
 * from the plan alone, so that all shards have the same one.
 */

import type { MixPart } from "../../../contract/run/load-mix.ts";
import type { Mix } from "./mix.ts";
import { takeInTurn } from "./mix.ts";
import type { LoadedKey } from "./rates.ts";

export interface Arrival {
  mixPart: MixPart;
  key: LoadedKey;
}

interface Offered {
  mix: Mix;
  keys: readonly LoadedKey[];
  /** Of the whole load. */
  jobs: number;
}

/** Ours: as many run at once on a small worker, so that those behind them wait. */
const RUN_MEANWHILE = 4;
/** Ours: a load that gets too few for one group a key has several smaller groups. */
const GROUPS_MIN = 2;

/**
 * Parts and keys by their weights, as evenly as they go; but jobs that are to be cancelled come in
 * groups, as only one that waits behind others shows that a cancel did nothing to it. In a group
 * each key has its turn, however few other jobs it carries.
 */
export function arrivalsOf({ mix, keys, jobs }: Offered): () => Arrival | null {
  const nextPart = takeInTurn(mix.parts, ({ weight }) => weight);
  const nextKey = takeInTurn(keys, ({ submitPerSecond }) => submitPerSecond);
  const nextKeyOfGroup = takeInTurn(keys, () => 1);
  const group = groupSize(mix, keys, jobs);
  let saved = 0;
  let left = 0;
  const nextMixPart = (): MixPart | null => {
    for (;;) {
      const part = nextPart();
      if (part?.part !== "cancel") return part;
      saved += 1;
      if (saved < group) continue;
      [left, saved] = [saved - 1, 0];
      return part;
    }
  };
  const cancelled = mix.parts.find(({ part }) => part === "cancel") ?? null;
  return () => {
    const isInGroup = left > 0;
    if (isInGroup) left -= 1;
    const mixPart = isInGroup ? cancelled : nextMixPart();
    const key = mixPart === cancelled ? nextKeyOfGroup() : nextKey();
    return mixPart === null || key === null ? null : { mixPart, key };
  };
}

function groupSize({ parts }: Mix, keys: readonly LoadedKey[], jobs: number): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const weight = parts.find(({ part }) => part === "cancel")?.weight ?? 0;
  const inGroups = Math.floor((jobs * weight) / total / GROUPS_MIN);
  return Math.max(1, Math.min(keys.length + RUN_MEANWHILE, inGroups));
}
