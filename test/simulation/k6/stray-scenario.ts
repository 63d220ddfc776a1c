/** A scenario that does what k6 can't. */

import type { RunPlan } from "../../../contract/run/run-plan.ts";
import type { Scenario } from "../../../scenarios/world/scenario.ts";
import { runScenario } from "../../../scenarios/world/scenario.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { strays } from "./strays.ts";

export function runStray(name: keyof typeof strays, world: World, plan: RunPlan): Promise<void> {
  const scenario: Scenario = {
    name: "stray",
    promises: [],
    secondsMax: () => 1,
    run: async () => void strays[name](),
  };
  return runScenario(scenario, world, plan);
}
