/** One step of a capacity search that offers jobs: its one piece of evidence is a measurement. */

import { CAPACITY_MEASUREMENT } from "../../contract/run/capacity-step.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";
import type { Scenario } from "../world/scenario.ts";
import { runJobsStep } from "./jobs-step.ts";
import { orderOf } from "./order.ts";

/** Ours: reading of the worker before, and last polls after. */
const AROUND_MS = 30_000;

export const capacityScenario: Scenario = {
  name: "capacity",
  promises: [],
  outlastsService: true,
  secondsMax(plan: RunPlan) {
    const { durationMs, drainMsMax } = orderOf(plan, "jobs");
    return (durationMs + drainMsMax + AROUND_MS) / 1_000;
  },
  async run(context, report) {
    const { plan } = context;
    const measurement = await runJobsStep(context, plan, orderOf(plan, "jobs"));
    report.measurement(CAPACITY_MEASUREMENT, measurement as unknown as Json);
  },
};
