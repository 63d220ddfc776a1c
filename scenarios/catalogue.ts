/** The scenarios, and the promises that each of them judges. */

import type { PromiseGroup, PromiseId } from "../contract/promises.ts";
import { groupOf, PROMISES } from "../contract/promises.ts";

export interface ScenarioEntry {
  name: string;
  /** File beside this one. */
  file: string;
  promises: readonly PromiseId[];
  /** Of its promises those of a group that has a scenario of its own, which is asked for alone. */
  guests?: readonly PromiseId[];
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
  {
    name: "timeout",
    file: "timeout.ts",
    promises: judgedInK6("timeout").filter((id) => id !== "timeout.under-load"),
    jobs: 30,
  },
  { name: "webhook", file: "webhook.ts", promises: judgedInK6("webhook"), jobs: 64 },
  {
    name: "soak",
    file: "soak.ts",
    promises: [...judgedInK6("load"), "timeout.under-load"],
    guests: ["timeout.under-load"],
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

export interface Asked {
  promises: readonly PromiseId[];
  /** Of the groups asked for, and judged only when they are asked for by id. */
  leftOut: readonly PromiseId[];
}

/**
 * What ids and groups ask for. A group asks for its own scenario: one promise of it must not bring
 * the load of another scenario, unless that one runs anyway.
 */
export function askedFor(ids: readonly PromiseId[], groups: readonly PromiseGroup[]): Asked {
  const entries: readonly ScenarioEntry[] = SCENARIOS;
  const guests = new Set(entries.flatMap((each) => each.guests ?? []));
  const inGroups = PROMISES.map(({ id }) => id).filter((id) => groups.includes(groupOf(id)));
  const asked = new Set([...ids, ...inGroups.filter((id) => !guests.has(id))]);
  const runs = entries.filter(({ promises }) => promises.some((id) => asked.has(id)));
  const anyway = new Set(runs.flatMap((each) => each.guests ?? []));
  for (const id of inGroups) if (anyway.has(id)) asked.add(id);
  return {
    promises: PROMISES.map(({ id }) => id).filter((id) => asked.has(id)),
    leftOut: inGroups.filter((id) => !asked.has(id)),
  };
}

export function scenarioPromises(name: (typeof SCENARIOS)[number]["name"]): readonly PromiseId[] {
  return SCENARIOS.find((scenario) => scenario.name === name)?.promises ?? [];
}
