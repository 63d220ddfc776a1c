/** The plan of one step of a capacity search, for scenarios/capacity*.ts under stock k6. */

import { orderOf, planOf } from "../../capacity/step-plan.ts";
import { CAPACITY_SUBJECTS } from "../../contract/run/capacity-step.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import { needsBudget } from "../gate/budget-line.ts";
import type { SinkAccess } from "../sink-access.ts";
import type { OptionReader } from "../values/option-reader.ts";
import { chooseKeys, chooseWorker, readStep } from "./request.ts";

export const CAPACITY = "capacity";

interface StepFlags {
  scenario?: string;
  only?: string;
  rate?: string;
  of?: string;
  step?: string;
}

interface StepRequest {
  of: (typeof CAPACITY_SUBJECTS)[number];
  perSecond: number;
  stepMs: number;
}

export function readCapacityStep(flags: StepFlags, options: OptionReader): StepRequest {
  if (flags.scenario !== CAPACITY) {
    for (const name of ["rate", "of", "step"] as const) {
      if (flags[name] === undefined) continue;
      options.problem(`--${name} is about one scenario; expected --scenario ${CAPACITY} beside it`);
    }
  } else if (flags.only !== undefined) {
    options.problem(`--only is about promises; expected none beside --scenario ${CAPACITY}`);
  }
  return {
    of: options.oneOf("--of", flags.of ?? "jobs", CAPACITY_SUBJECTS) ?? "jobs",
    perSecond: options.rate("--rate", flags.rate ?? "5"),
    stepMs: readStep(flags.step ?? "9s", options),
  };
}

/** Throws UsageError where the target has no budget for jobs, no active key or no worker. */
export function capacityPlan(
  { of, perSecond, stepMs }: StepRequest,
  target: Target,
  seed: number,
  receiver: SinkAccess,
): RunPlan {
  if (of === "jobs") needsBudget("the capacity scenario", target);
  const worker = chooseWorker({ of, part: "success" }, target);
  const keys = chooseKeys(undefined, target);
  const asked = { of, stepMs, endpoint: "me", beyondPlan: false, objectives: [] } as const;
  const order = orderOf({ ...asked, keys }, "confirm", perSecond, null);
  const budget = target.budget ?? { jobs: 0, credits: 0, usd: 0 };
  return planOf({ of, target, worker, keys, receiver, seed }, order, budget);
}
