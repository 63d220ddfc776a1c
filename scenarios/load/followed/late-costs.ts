/** Costs that jobs tell some time after their ends: how long that takes is learnt as it is seen. */

import type { Job } from "../../../contract/decode/job-types.ts";
import { COST_DUE_MS, lacksCost, tellsNoCost } from "../../../contract/judges/job/shape.ts";
import { isFreeByRule } from "../../../contract/states.ts";

export interface LateCosts {
  /** When to poll an ended job for its cost; null where it told one, or will not. */
  pollAtMs(end: Job, endSeenAtMs: number, nowMs: number): number | null;
  /** Takes in what a poll of an ended job showed; `wasMissing`: one before it showed no cost. */
  seen(end: Job, endSeenAtMs: number, nowMs: number, wasMissing: boolean): void;
}

/** Ours: polls of a job before it is known how late costs are, each twice as late as the last. */
const FIRST_POLL_MS = 1_000;
/** Ours: what a poll may come too early by, next to the longest wait so far. */
const MARGIN_MS = 200;

/** What is to be free is looked at once, when others tell their costs: it may be charged then. */
export function lateCosts(): LateCosts {
  let learntMs = 0;
  /** States of jobs that never told one. */
  const never = new Set<Job["state"]>();
  return {
    pollAtMs(end, endSeenAtMs, nowMs) {
      const ageMs = nowMs - endSeenAtMs;
      if (isFreeByRule(end.state)) {
        const isLate = tellsNoCost(end) && ageMs < learntMs;
        return isLate ? endSeenAtMs + learntMs + MARGIN_MS : null;
      }
      if (!lacksCost(end) || never.has(end.state)) return null;
      if (ageMs >= COST_DUE_MS) return null;
      const nextMs = ageMs < learntMs ? learntMs + MARGIN_MS : Math.max(FIRST_POLL_MS, 2 * ageMs);
      return endSeenAtMs + Math.min(nextMs, COST_DUE_MS);
    },
    seen(end, endSeenAtMs, nowMs, wasMissing) {
      if (isFreeByRule(end.state)) return;
      const ageMs = nowMs - endSeenAtMs;
      if (lacksCost(end)) {
        if (ageMs >= COST_DUE_MS) never.add(end.state);
        return;
      }
      never.delete(end.state);
      if (wasMissing) learntMs = Math.max(learntMs, ageMs);
    },
  };
}
