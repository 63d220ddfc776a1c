/** A step of a capacity search, in real k6 and in the simulation: the sixth scenario. */

import { NO_ERRORS } from "../../capacity/error-share.ts";
import { judgeStep } from "../../capacity/judge-step.ts";
import { runStep } from "../../capacity/run-step.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/run/capacity-step.ts";
import { startReference } from "../../reference/service.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";
import { NO_BUDGET, optionsOn, SERVICE, simulateStep } from "../capacity/simulated-step.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import { k6Here } from "../runner/k6-here.ts";

export function stepOf(ratePerSecond: number): CapacityOrder {
  return {
    of: "jobs",
    ratePerSecond,
    durationMs: 6_000,
    drainMsMax: 20_000,
    endpoint: "me",
    beyondPlan: false,
    harmShare: 0.1,
    latencyCeilingMs: null,
    backlogMax: null,
  };
}

export async function realStep(order: CapacityOrder): Promise<CapacityStep> {
  const service = await startReference(SERVICE);
  await using folder = await temporaryFolder();
  try {
    const k6 = await k6Here();
    const options = { ...optionsOn(service), k6, outputDir: folder.path };
    const { measurement, trouble } = await runStep(options, order, NO_BUDGET, "step");
    if (measurement === null) throw new Error(trouble ?? "the step has no figures");
    return judged(order, measurement);
  } finally {
    await service.close();
  }
}

export async function simulatedStep(order: CapacityOrder): Promise<CapacityStep> {
  const { measurement } = await simulateStep(order);
  return judged(order, measurement);
}

function judged(order: CapacityOrder, measurement: StepMeasurement): CapacityStep {
  return judgeStep(order, measurement, {
    phase: "search",
    objectives: [],
    base: null,
    below: NO_ERRORS,
  });
}
