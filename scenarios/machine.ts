/**
 * How many jobs a second can this machine offer? Sends for two seconds what a soak sends, to the
 * suite's own webhook receiver on loopback and not to the service. `plumbline gate` does so before
 * a soak of a high rate.
 *
 * Runs under stock k6 2.x with a plan that names a receiver (`plumbline sink`) and a load:
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/machine.ts
 * Judges no promise: its one piece of evidence is a measurement, on the console.
 */

import { machineScenario } from "./machine/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(machineScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;
