/** What a child is told: target, keys, and whether it is to submit or only to end what is open. */

import type { Budget } from "../../../../contract/run/run-plan.ts";
import type { Target } from "../../../../contract/target.ts";

export interface ChildOrders {
  target: Target;
  secrets: readonly (readonly [string, string])[];
  stateDir: string;
  drains: boolean;
  /** As a person says who was asked. */
  acceptsUnknownSpending: boolean;
}

/** Ours: more than any lane can submit. */
const NO_CEILING_JOBS = 100_000;

/**
 * Jobs of a fraction of a second, so that there always are some in each of their phases. The month
 * has the day's ceiling, so that it holds past midnight.
 */
export function killPlan(ceilingJobs: number | null): Partial<Target> {
  const ceiling: Budget = { jobs: ceilingJobs ?? NO_CEILING_JOBS, credits: null, usd: null };
  return { ...PLAN, probe: { ...PROBE, budget: { day: ceiling, month: ceiling } } };
}

const PLAN: Partial<Target> = {
  workers: { success: { id: "echo", input: { text: "hi" }, marker: "text" } },
  webhook: null,
  canaries: ["one", "two", "three"].map((name) => ({
    name,
    part: "success",
    everyMs: 200,
    jitterShare: 0.5,
    deadlineMs: 2_500,
    webhook: false,
    expect: null,
    overlapMax: 20,
  })),
};

const PROBE = {
  requestsPerJob: 4,
  rateShare: 1,
  key: "big",
  links: { runbook: null, dashboard: null },
};
