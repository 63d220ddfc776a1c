/** The keys that take part where real k6 sends what they admit: the machine bears no more. */

import type { PromiseGroup } from "../../../contract/promises.ts";
import { groupOf } from "../../../contract/promises.ts";
import type { Cell } from "../cells.ts";
import type { Condition } from "../condition.ts";

/** Keys whose limits are measured without a hurry for the machine: two pairs that may leak. */
export const RATE_KEYS = ["pro-a", "pro-b", "free-a", "free-b"];

/**
 * Ours: for faults of other groups the limits of enterprise keys are left alone, as 480 requests a
 * second would take from the machine what the other runs need.
 */
export const WEAK_KEYS = [
  ...RATE_KEYS,
  ...["free-c", "pro-c", "pro-d", "pro-e"],
  ...["old", "broke"],
];

/** Groups whose faults need the keys of high plans to show. */
const NEEDS_ALL_KEYS: readonly PromiseGroup[] = ["load"];

/** null judges all promises. */
export function conditionOf({ fault, variant }: Cell, only: Condition["only"]): Condition {
  const keys = NEEDS_ALL_KEYS.includes(groupOf(fault.promise)) ? {} : { keys: WEAK_KEYS };
  return { variant, faults: [fault.name], only, ...keys };
}
