/** The scenarios, and the promises that each of them judges. */

import type { PromiseId } from "../contract/promises.ts";
import { PROMISES } from "../contract/promises.ts";

export interface ScenarioEntry {
  name: string;
  /** File beside this one. */
  file: string;
  promises: readonly PromiseId[];
}

export const SCENARIOS = [
  {
    name: "contract",
    file: "contract.ts",
    promises: witnessedByK6(["auth", "account", "workers", "submit", "job", "cancel"]),
  },
  { name: "rate-limit", file: "rate-limit.ts", promises: witnessedByK6(["rate"]) },
] as const satisfies readonly ScenarioEntry[];

function witnessedByK6(groups: readonly string[]): readonly PromiseId[] {
  return PROMISES.filter(
    ({ id, witnesses }) =>
      groups.includes(id.slice(0, id.indexOf("."))) &&
      (witnesses as readonly string[]).includes("k6"),
  ).map(({ id }) => id);
}

export function scenarioPromises(name: (typeof SCENARIOS)[number]["name"]): readonly PromiseId[] {
  return SCENARIOS.find((scenario) => scenario.name === name)?.promises ?? [];
}
