/** Judges a short soak of a reference service by its losses, with real k6. */

import { gateScenarios } from "../../cli/scenario-files.ts";
import type { Budget, LoadPlan } from "../../contract/run-plan.ts";
import type { RunResult } from "../../contract/run-result.ts";
import { runGate } from "../../gate/gate.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { findK6 } from "../../runner/find-k6.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

/** `change`: what differs from the load of the embedded service. */
export async function judgeSoak(
  service: Parameters<typeof embeddedTarget>[0],
  change: Partial<LoadPlan>,
  budget: Budget | null = null,
): Promise<RunResult> {
  const { target, secrets } = embeddedTarget(service);
  if (target.load === null) throw new Error("the embedded service has a load");
  return await runGate({
    target: { ...target, load: { ...target.load, ...change }, budget },
    secrets,
    profile: "quick",
    only: ["load.no-losses"],
    seed: 1,
    outputDir: await temporaryFolder(),
    k6: await findK6({ env: process.env, onProgress: () => {} }),
    scenarios: gateScenarios(),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onPlanned: () => undefined,
  });
}
