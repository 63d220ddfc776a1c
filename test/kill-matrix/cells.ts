/** The cells of the kill matrix: each fault in each variant in which it can show. */

import type { PromiseGroup } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { variantsOf } from "./expectation.ts";
import type { Condition } from "./judge-service.ts";

export interface Cell {
  fault: Fault;
  variant: Variant;
}

export const CELLS: readonly Cell[] = FAULTS.flatMap((fault) =>
  variantsOf(fault).map((variant) => ({ fault, variant })),
);

/** As a pattern names it: "job.cost/negative A". */
export function cellName({ fault, variant }: Cell): string {
  return `${fault.name} ${variant}`;
}

/** Ours: as many times slower as the machine's noise is then smaller beside what is measured. */
export const SLOWER_TIME_SCALE = 0.05;

/** Keys whose limits are measured without a hurry for the machine: two pairs that may leak. */
export const RATE_KEYS = ["pro-a", "pro-b", "free-a", "free-b"];

/**
 * Ours: for faults of other groups the limits of enterprise keys are left alone, as 480 requests a
 * second would take from the machine what the other runs need.
 */
const OTHER_KEYS = [...RATE_KEYS, ...["free-c", "pro-c", "pro-d", "pro-e"], ...["old", "broke"]];

/** Groups whose faults need the keys of high plans to show. */
const NEEDS_ALL_KEYS: readonly PromiseGroup[] = ["load"];

/** null judges all promises. */
export function conditionOf({ fault, variant }: Cell, only: Condition["only"]): Condition {
  const keys = NEEDS_ALL_KEYS.includes(groupOf(fault.promise)) ? {} : { keys: OTHER_KEYS };
  return { variant, faults: [fault.name], only, ...keys };
}
