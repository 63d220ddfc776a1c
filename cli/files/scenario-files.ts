/** The scenarios with the files that k6 runs. */

import type { GateScenario } from "../../gate/options.ts";
import { scenarioScript } from "../../runner/scenario-script.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";

export function gateScenarios(): GateScenario[] {
  return SCENARIOS.map(({ name, file, promises, jobs }) => {
    return { name, script: scenarioScript(file), promises, jobs };
  });
}

/** What tries the machine before a load: it judges nothing, and has no jobs. */
export function machineScenario(): GateScenario {
  return { name: "machine", script: scenarioScript("machine.ts"), promises: [], jobs: 0 };
}
