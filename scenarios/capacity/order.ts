/** What a capacity search asks of one step. */

import type { CapacityOrder } from "../../contract/capacity-step.ts";
import type { RunPlan } from "../../contract/run-plan.ts";

/** Throws where the plan was written for something else. */
export function orderOf({ capacity }: RunPlan): CapacityOrder {
  if (capacity !== undefined) return capacity;
  throw new Error("the plan holds no capacity order; expected one written by plumbline capacity");
}
