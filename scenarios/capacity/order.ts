/** What a capacity search asks of one step. */

import type { CapacityOrder } from "../../contract/run/capacity-step.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";

const SCRIPTS = { jobs: "capacity.ts", requests: "capacity-requests.ts" } as const;

/** Throws where the plan was written for something else. */
export function orderOf({ capacity }: RunPlan, of: CapacityOrder["of"]): CapacityOrder {
  if (capacity === undefined) {
    throw new Error("the plan holds no capacity order; expected one written by plumbline capacity");
  }
  if (capacity.of === of) return capacity;
  throw new Error(`the plan is one of ${capacity.of}; expected to run ${SCRIPTS[capacity.of]}`);
}
