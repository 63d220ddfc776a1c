/**
 * Does a worker's limit hold? Runs many jobs at once that exceed it, and a few that stay just
 * below it, and judges the promises of the group `timeout` but the one about load.
 *
 * Runs alone under stock k6 2.x:
 *   plumbline plan --target plumbline.yaml --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/timeout.ts
 * Keys are read from the environment variables that the plan names. Evidence comes out on the
 * console, a line a record. The exit code is 0 only if something was kept and nothing is broken or
 * inconclusive.
 *
 * Jobs are submitted only to the plan's workers of the parts timeout and success, and within its
 * budget. The timeout part's input must exceed that worker's limit.
 */

import { timeoutScenario } from "./timeout/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(timeoutScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;
