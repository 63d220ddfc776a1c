/**
 * Measures the limits of each key that the plan lists under roles.limited, and judges the promises
 * of the group `rate`. Runs alone under stock k6 2.x:
 *
 *   plumbline plan --target plumbline.yaml --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/rate-limit.ts
 *
 * or, for a first try of one key:
 *
 *   PLUMBLINE_BASE_URL=https://… PLUMBLINE_KEY=… PLUMBLINE_KEY_PLAN=free k6 run
 * scenarios/rate-limit.ts
 *
 * Keys travel by environment only. The keys must have rested for a few seconds, and nobody else
 * may use them meanwhile. Evidence is written to k6's console, one record a line; an exit code
 * other than 0 means a promise broken, inconclusive, or not judged.
 */

import { rateLimitScenario } from "./rate-limit/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(rateLimitScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;
