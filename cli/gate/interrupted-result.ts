/** The result of a run that was interrupted before it could look at anything. */

import { nowMs } from "../../clock/system-clock.ts";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { NO_SERIES } from "../../contract/run/series.ts";
import type { Target } from "../../contract/target.ts";
import { targetHead } from "../../contract/target.ts";
import { unobserved } from "../../contract/verdict.ts";
import { packageVersion } from "../../runner/package-root.ts";

export interface InterruptedRun {
  profile: RunPlan["profile"];
  only: readonly PromiseId[] | null;
  seed: number;
  target: Target;
  startedAtMs: number;
  /** Version of k6, empty where it was not found yet. */
  k6: string;
}

export function interruptedResult(run: InterruptedRun): RunResult {
  return {
    profile: run.profile,
    seed: run.seed,
    startedAtMs: run.startedAtMs,
    finishedAtMs: Math.round(nowMs()),
    interrupted: true,
    tool: { plumbline: packageVersion(), k6: run.k6, node: process.versions.node },
    target: { ...targetHead(run.target), variant: null },
    findings: PROMISE_IDS.map((id) => unobserved(id, "the run was interrupted before it began")),
    only: run.only,
    measurements: {},
    series: NO_SERIES,
    notes: [],
    budget: { ceiling: run.target.budget, planned: NOTHING_SPENT, spent: NOTHING_SPENT },
  };
}
