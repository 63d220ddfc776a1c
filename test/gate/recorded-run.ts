/** Runs of a gate that left one observation, and the keys of two accounts that sent for it. */

import type { Exchange } from "../../contract/requests/exchange.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import type { Observation } from "../../contract/run/observation.ts";
import { OBSERVATION_VERSION } from "../../contract/run/observation.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { Recorded, Shown } from "../../gate/shown.ts";
import { shownBy } from "../../gate/shown.ts";
import { key } from "./base-target.ts";

export const KEYS_OF_TWO: readonly PlanKey[] = [
  { ...key("left"), account: "acc-1" },
  { ...key("left-too"), account: "acc-1" },
  { ...key("right"), account: "acc-2" },
  { ...key("right-too"), account: "acc-2" },
  { ...key("undeclared"), account: null },
  { ...key("undeclared-too"), account: null },
];

/** `value`: what judges over all runs read of it, wherever in an observation it stands. */
export function recordedRun(name: string, kind: Observation["kind"], value: unknown): Recorded {
  const about = { type: "observation", version: OBSERVATION_VERSION, scenario: "s" } as const;
  const record = { ...about, kind, value } as EvidenceRecord;
  return { scenario: { name, promises: [] }, records: [record], again: null };
}

/** A run that observed these requests. */
export function shownRun(name: string, ...exchanges: readonly Exchange[]): Shown {
  return shownBy(recordedRun(name, "contract.account", exchanges));
}
