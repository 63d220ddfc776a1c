/** Judges a short soak of a reference service by its losses, with real k6. */

import type { Budget, LoadPlan } from "../../contract/run/run-plan.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { quickRun } from "./quick-run.ts";

/** `change`: what differs from the load of the embedded service. */
export async function judgeSoak(
  service: Parameters<typeof embeddedTarget>[0],
  change: Partial<LoadPlan>,
  budget: Budget | null = null,
): Promise<RunResult> {
  const { target, secrets } = embeddedTarget(service);
  if (target.load === null) throw new Error("the embedded service has a load");
  return await quickRun({
    target: { ...target, load: { ...target.load, ...change }, budget },
    secrets,
    only: ["load.no-losses"],
  });
}
