/** A target with a key of each plan, and makers of single keys. */

import type { PlanKey } from "../../contract/run/run-plan.ts";
import { DEFAULT_TOLERANCES } from "../../contract/run/run-plan.ts";
import type { ProbePlan, Target } from "../../contract/target.ts";

export function key(name: string, changes: Partial<PlanKey> = {}): PlanKey {
  const limits = { plan: null, sustained: null, burst: null };
  return { name, env: `KEY_${name}`, state: "active", account: null, ...limits, ...changes };
}

export function free(name: string, changes: Partial<PlanKey> = {}): PlanKey {
  return key(name, { plan: "free", sustained: 10, burst: 20, ...changes });
}

export function pro(name: string, changes: Partial<PlanKey> = {}): PlanKey {
  return key(name, { plan: "pro", sustained: 50, burst: 100, ...changes });
}

/** Of a probe that may spend what it likes. */
export const PROBE_PLAN: ProbePlan = {
  budget: { day: null, month: null },
  requestsPerJob: null,
  rateShare: 1,
  key: null,
  links: { runbook: null, dashboard: null },
};

export const BASE_TARGET: Target = {
  baseUrl: "http://127.0.0.1:9",
  timeScale: 1,
  embedded: false,
  keys: [pro("caller"), pro("limited"), free("free-a"), free("free-b")],
  workers: { success: { id: "echo", input: { text: "hi" } } },
  publish: null,
  cancel: null,
  webhook: null,
  load: null,
  tolerances: DEFAULT_TOLERANCES,
  budget: null,
};
