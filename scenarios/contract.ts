/**
 * Does the service keep its contract? Exercises each endpoint as a careful client would and judges
 * the promises on keys, account, workers, submission, jobs, their list and cancelling.
 *
 * Runs alone under stock k6 2.x:
 *   plumbline plan --target plumbline.yaml --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/contract.ts
 * Keys are read from the environment variables that the plan names. For a first try without a plan
 *   PLUMBLINE_BASE_URL=https://api.example.com PLUMBLINE_KEY=... k6 run scenarios/contract.ts
 * judges what needs no worker. Evidence comes out on the console, a line a record. The exit code is
 * 0 only if something was kept and nothing is broken or inconclusive.
 *
 * Jobs are submitted only to the plan's workers and within its budget; cancelled are only jobs of
 * its own; published is only the worker that the plan names for it.
 */

import { contractScenario } from "./contract/scenario.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const scenario = k6Scenario(contractScenario);

export const { options, handleSummary } = scenario;
export default scenario.run;
