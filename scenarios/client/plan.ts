/** What a scenario takes from its plan: the promises asked for, its keys and their values. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { PlanKey, RunPlan } from "../../contract/run/run-plan.ts";
import type { World } from "../world/world.ts";

/** The promises of a scenario that the plan asks for, in the scenario's order. */
export function askedPromises(plan: RunPlan, own: readonly PromiseId[]): readonly PromiseId[] {
  return own.filter((id) => plan.promises.includes(id));
}

/** The plan's key of that name. Throws on an unknown name: a plan that contradicts itself. */
export function planKey(plan: RunPlan, name: string): PlanKey {
  const key = plan.keys.find((each) => each.name === name);
  if (key === undefined) throw new Error(`plan: no key named "${name}"`);
  return key;
}

/** Value of a key from the environment. Throws, naming the variable, when it is not there. */
export function keyValue(world: Pick<World, "env">, key: PlanKey): string {
  const value = world.env(key.env);
  if (value === undefined || value === "") {
    throw new Error(`key "${key.name}": environment variable ${key.env} is not set`);
  }
  return value;
}

/** What the receiver asks for with every query. Throws, naming the variable, like `keyValue`. */
export function querySecret(
  world: Pick<World, "env">,
  { queryUrl, querySecretEnv: name }: ReceiverAccess,
): string {
  if (name === undefined) {
    throw new Error(
      'plan: receiver names no querySecretEnv; write the plan again with "plumbline plan"',
    );
  }
  const value = world.env(name);
  if (value === undefined || value === "") {
    throw new Error(
      `receiver ${queryUrl}: environment variable ${name} is not set; ` +
        "expected the secret that `plumbline sink` was given or has printed",
    );
  }
  return value;
}
