/** What of an ended job changed, between two times that it was seen. Spec §3.1. */

import type { Job } from "../../decode/job-types.ts";
import { isSameJson } from "../job/same-json.ts";
import { filesChange, timeChange } from "../job/terminal-final.ts";

/** What of an ended job differs; "cancelled": its state, now; "gone": it can't be read any more. */
export type EndChange =
  | "cancelled"
  | "state"
  | "result"
  | "error"
  | "cost"
  | "times"
  | "files"
  | "gone";

/**
 * State, result, error, cost, times and files of an ended job; a cost may be told late. null: the
 * same.
 */
export function endChange(before: Job, after: Job): EndChange | null {
  const { credits, totalUsd } = before.cost;
  if (before.state !== after.state) return after.state === "cancelled" ? "cancelled" : "state";
  if (!isSameJson(before.result, after.result)) return "result";
  if (before.error?.code !== after.error?.code) return "error";
  const isDearer = credits !== null && credits !== after.cost.credits;
  const isOther = totalUsd !== null && totalUsd !== after.cost.totalUsd;
  if (isDearer || isOther) return "cost";
  if (timeChange(before, after) !== null) return "times";
  return filesChange(before, after) === null ? null : "files";
}
