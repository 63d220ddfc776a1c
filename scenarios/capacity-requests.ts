/**
 * One step of a capacity search for requests: sends them to a read endpoint at one rate, by k6's
 * own executor. Apart from capacity.ts, as each of hundreds of virtual users evaluates all that its
 * file imports: with the judges that took 37 ms of processor time a user, without them 0.5 ms.
 *
 * Runs under stock k6 2.x with a plan that holds a `capacity` order:
 *   plumbline plan --target plumbline.yaml --scenario capacity --of requests --out plan.json
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/capacity-requests.ts
 */

import { orderOf } from "./capacity/order.ts";
import { loadPlan } from "./world/k6-plan.ts";
import { k6Requests } from "./world/k6-requests.ts";

const plan = loadPlan();
const test = k6Requests(plan, orderOf(plan, "requests"));

export const { options, setup, handleSummary } = test;
export default test.run;
