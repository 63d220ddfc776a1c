/** A step of a capacity search as a test of k6: jobs are a scenario, requests k6's own executor. */

import { orderOf } from "../capacity/order.ts";
import { capacityScenario } from "../capacity/scenario.ts";
import { loadPlan } from "./k6-plan.ts";
import { k6Requests } from "./k6-requests.ts";
import type { K6Test } from "./k6-scenario.ts";
import { k6Scenario } from "./k6-scenario.ts";

export function k6Capacity(): K6Test {
  const plan = loadPlan();
  const order = orderOf(plan);
  return order.of === "jobs" ? k6Scenario(capacityScenario, plan) : k6Requests(plan, order);
}
