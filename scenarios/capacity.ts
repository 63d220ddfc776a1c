/**
 * One step of a capacity search for jobs: offers them at one rate, and tells what came of them.
 * `plumbline capacity` chooses the rates and judges the figures. Requests have a file of their own,
 * capacity-requests.ts.
 *
 * Runs under stock k6 2.x with a plan that holds a `capacity` order:
 *   plumbline plan --target plumbline.yaml --scenario capacity --rate 20 --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/capacity.ts
 * Keys are read from the environment variables that the plan names. Judges no promise: its one
 * piece of evidence is a measurement, on the console.
 */

import { orderOf } from "./capacity/order.ts";
import { capacityScenario } from "./capacity/scenario.ts";
import { loadPlan } from "./world/k6-plan.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const plan = loadPlan();
orderOf(plan, "jobs");
const test = k6Scenario(capacityScenario, plan);

export const { options, handleSummary } = test;
export default test.run;
