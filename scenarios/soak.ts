/**
 * Does the service bear a load for as long as asked? Offers a mix of jobs at an arrival rate,
 * follows each to its end, and judges losses, throughput, latency, errors, drift, webhooks,
 * accounts, and the limits of runs under load. A 429 that it meets speaks of rate.within-plan.
 *
 * Runs alone under stock k6 2.x, with a `load:` section in the target file:
 *   plumbline plan --target plumbline.yaml --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/soak.ts
 * Keys are read from the environment variables that the plan names. The rate stays within the
 * plans of the keys that carry the load, and the number of jobs within the budget. Evidence comes
 * out on the console, a line a record. For hours, add --no-thresholds --summary-mode=disabled: k6
 * keeps each value of its own metrics in memory for them.
 */

import { soakScenario } from "./soak/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(soakScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;
