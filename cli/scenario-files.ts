/** The scenarios with the files that k6 runs. */

import { join } from "node:path";

import type { GateScenario } from "../gate/options.ts";
import { packageRoot } from "../runner/package-root.ts";
import { SCENARIOS } from "../scenarios/catalogue.ts";

/** k6 runs the TypeScript itself, in a checkout as in an installed package. */
export function gateScenarios(): GateScenario[] {
  return SCENARIOS.map(({ name, file, promises, jobs }) => {
    return { name, script: join(packageRoot(), "scenarios", file), promises, jobs };
  });
}

/** What tries the machine before a load: it judges nothing, and has no jobs. */
export function machineScenario(): GateScenario {
  const script = join(packageRoot(), "scenarios", "machine.ts");
  return { name: "machine", script, promises: [], jobs: 0 };
}
