/** The scenarios, and the promises that each of them judges. */

import { TIMEOUT_PROMISES } from "../contract/judges/timeout.ts";
import type { PromiseGroup, PromiseId } from "../contract/promises.ts";
import { groupOf, PROMISES } from "../contract/promises.ts";

export interface ScenarioEntry {
  name: string;
  /** File beside this one. */
  file: string;
  promises: readonly PromiseId[];
  /** Judged by others: spoken of only where something was seen that is against them. */
  besides?: readonly PromiseId[];
  /** Jobs that it submits where nothing bounds it, as counted on the embedded service. */
  jobs: number;
}

export const SCENARIOS = [
  {
    name: "contract",
    file: "contract.ts",
    promises: judgedInK6("auth", "account", "workers", "submit", "job", "cancel"),
    jobs: 140,
  },
  { name: "timeout", file: "timeout.ts", promises: TIMEOUT_PROMISES, jobs: 30 },
  { name: "webhook", file: "webhook.ts", promises: judgedInK6("webhook"), jobs: 45 },
  {
    name: "soak",
    file: "soak.ts",
    promises: [...judgedInK6("load"), "timeout.under-load"],
    besides: ["rate.within-plan"],
    jobs: 0,
  },
  { name: "rate-limit", file: "rate-limit.ts", promises: judgedInK6("rate"), jobs: 12 },
] as const satisfies readonly ScenarioEntry[];

/** All but what only a Node witness can see; the receiver's evidence is read by scenarios. */
function judgedInK6(...groups: readonly PromiseGroup[]): readonly PromiseId[] {
  return PROMISES.filter(
    ({ id, witnesses }) =>
      groups.includes(groupOf(id)) && witnesses.some((witness) => witness !== "node"),
  ).map(({ id }) => id);
}

/** What a scenario may speak of beside its own promises. */
export function scenarioBesides(name: (typeof SCENARIOS)[number]["name"]): readonly PromiseId[] {
  const entries: readonly ScenarioEntry[] = SCENARIOS;
  return entries.find((scenario) => scenario.name === name)?.besides ?? [];
}

export function scenarioPromises(name: (typeof SCENARIOS)[number]["name"]): readonly PromiseId[] {
  return SCENARIOS.find((scenario) => scenario.name === name)?.promises ?? [];
}
