/** When a job has to tell what it cost: some time after its end, as bills are worked out late. */

import type { Job } from "../../decode/job-types.ts";
import { count } from "./sample.ts";

/** Ours: services that bill after the end mostly do so within seconds. */
export const COST_SETTLED_MS = 20_000;
/** Ours: some do so once a minute, and then take a moment. The specification names no time. */
export const COST_DUE_MS = 65_000;

/** Whether an ended job has yet to tell its charge. A timeout and a cancelled job are free. */
export function lacksCost({ state, cost }: Job): boolean {
  const isCharged = state === "completed" || state === "failed";
  return isCharged && cost.credits === null && cost.totalUsd === null;
}

export function unsettledReason(jobs: number): string {
  const seconds = COST_DUE_MS / 1_000;
  return `${count(jobs, "job")} may still get a cost, within ${seconds} s of the end`;
}
