/** What a run takes of the target: which keys it sends with, and on which accounts it submits. */

import type { PromiseGroup } from "../contract/promises.ts";
import { groupOf } from "../contract/promises.ts";
import type { PlanKey, RunPlan } from "../contract/run/run-plan.ts";
import { areApart } from "./key-roles.ts";
import type { GateScenario } from "./options.ts";

export interface Occupancy {
  keys: readonly PlanKey[];
  /** Those of the keys that jobs are submitted with. */
  submitters: readonly PlanKey[];
}

export function occupancyOf(scenario: GateScenario, plan: RunPlan): Occupancy {
  const { roles, keys } = plan;
  const named = (...names: readonly (string | null)[]) =>
    keys.filter(({ name }) => names.includes(name));
  const only = (...names: readonly (string | null)[]) => {
    return { keys: named(...names), submitters: named(...names) };
  };
  if (judges(scenario, "load")) return only(...roles.loaded);
  if (judges(scenario, "webhook")) return only(roles.webhook);
  if (judges(scenario, "timeout")) return only(roles.timeout);
  if (judges(scenario, "rate")) {
    return { keys: named(...roles.limited), submitters: named(roles.overLimit) };
  }
  return { keys: named(roles.caller, roles.stranger), submitters: named(roles.caller) };
}

export function judges(scenario: Pick<GateScenario, "promises">, group: PromiseGroup): boolean {
  return scenario.promises.some((id) => groupOf(id) === group);
}

/** True when neither takes from the other's allowance nor moves the other's balance. */
export function canRunBeside(a: Occupancy, b: Occupancy): boolean {
  const sharesKey = a.keys.some((key) => b.keys.includes(key));
  // Keys whose accounts are not declared may belong to one.
  const sharesNoAccount = a.submitters.every((key) =>
    b.submitters.every((other) => areApart(key, other)),
  );
  return !sharesKey && sharesNoAccount;
}
