/** What a simulated k6 runs; it is loaded into a context that has no more than k6 has. */

import { contractScenario } from "../scenarios/contract/scenario.ts";
import { machineScenario } from "../scenarios/machine/scenario.ts";
import { rateLimitScenario } from "../scenarios/rate-limit/scenario.ts";
import { soakScenario } from "../scenarios/soak/scenario.ts";
import { timeoutScenario } from "../scenarios/timeout/scenario.ts";
import { webhookScenario } from "../scenarios/webhook/scenario.ts";
import type { Scenario } from "../scenarios/world/scenario.ts";

export { runScenario } from "../scenarios/world/scenario.ts";

const SCENARIOS: readonly Scenario[] = [
  contractScenario,
  timeoutScenario,
  webhookScenario,
  soakScenario,
  rateLimitScenario,
  machineScenario,
];

export function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario is named "${name}"`);
  return found;
}
