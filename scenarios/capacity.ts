/**
 * One step of a capacity search: offers jobs, or requests to a read endpoint, at one rate, and
 * tells what came of them. `plumbline capacity` chooses the rates and judges the figures.
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
import { k6Requests } from "./world/k6-requests.ts";
import { k6Scenario } from "./world/k6-scenario.ts";

const plan = loadPlan();
const order = orderOf(plan);
// Jobs are a scenario; requests are offered by k6's own executor.
const test = order.of === "jobs" ? k6Scenario(capacityScenario, plan) : k6Requests(plan, order);

export const { options, handleSummary } = test;
// An export of that name must be a function, whatever this step offers.
export const setup = () => test.setup?.();
export default test.run;
