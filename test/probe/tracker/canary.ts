/** The canary whose jobs are simulated. */

import type { Canary } from "../../../probe/canary/canary.ts";
import type { Intent } from "../../../probe/journal/records.ts";
import { retiredCanary } from "../../../probe/operation/runs/canary-run.ts";

export function intentOf(number: number, intendedAtMs: number): Intent {
  return {
    runId: `run-${number}`,
    canary: "simulated",
    workerId: "worker",
    expected: "completed",
    deadlineMs: 60_000,
    token: null,
    mark: null,
    intendedAtMs,
  };
}

export const CANARY: Canary = retiredCanary(intentOf(0, 0));
