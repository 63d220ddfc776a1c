/** What a child is told: target, keys, and whether it is to submit or only to end what is open. */

import type { Target } from "../../../../contract/target.ts";

export interface ChildOrders {
  target: Target;
  secrets: readonly (readonly [string, string])[];
  stateDir: string;
  drains: boolean;
  /** As a person says who was asked. */
  acceptsUnknownSpending: boolean;
}

/** Jobs of a fraction of a second, so that there always are some in each of their phases. */
export const KILL_PLAN: Partial<Target> = {
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
  probe: {
    budget: { day: { jobs: 100_000, credits: null, usd: null }, month: null },
    requestsPerJob: 4,
    rateShare: 1,
    key: "big",
    links: { runbook: null, dashboard: null },
  },
};
