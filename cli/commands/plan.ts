/** `plumbline plan`: the plan of a run as JSON, for a scenario that runs under stock k6. */

import { availableParallelism } from "node:os";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { leftOutOfGroup } from "../../gate/merge.ts";
import { planGate } from "../../gate/plan.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { jsonText } from "../../report/text.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";
import { CAPACITY, capacityPlan, readCapacityStep } from "../capacity/plan.ts";
import type { Context } from "../context.ts";
import { gateScenarios } from "../files/scenario-files.ts";
import { writeGiven } from "../files/written-file.ts";
import { warningLine } from "../gate/warnings.ts";
import type { SinkAccess } from "../sink-access.ts";
import { sinkAccess } from "../sink-access.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";
import { UsageError } from "../usage-error.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface PlanFlags {
  target: string;
  profile: string;
  only?: string;
  scenario?: string;
  out?: string;
  rate?: string;
  of?: string;
  step?: string;
  seed?: string;
  receiver?: string;
}

/** What --scenario takes. */
export const PLAN_SCENARIOS = [...SCENARIOS.map(({ name }) => name), CAPACITY];

const NO_RECEIVER: SinkAccess = { access: null, missing: "the plan names no receiver" };

/** Keys are named in a plan, never held: so their values need not be there yet. */
export async function planCommand(flags: PlanFlags, context: Context): Promise<ExitCode> {
  const options = new OptionReader();
  const profile = options.profile(flags.profile);
  const { only, leftOut } = options.only(flags.only);
  const seed = options.seed(flags.seed);
  if (flags.scenario !== undefined) options.oneOf("--scenario", flags.scenario, PLAN_SCENARIOS);
  const step = readCapacityStep(flags, options);
  options.finish();
  const { target } = await loadTargetFile(flags.target, null);
  for (const id of leftOut) context.output.say(`${id} is ${leftOutOfGroup(id)}\n`);
  const { receiver: queryUrl } = flags;
  const receiver =
    queryUrl === undefined ? NO_RECEIVER : await sinkAccess(queryUrl, target, context.environment);
  if (queryUrl !== undefined && receiver.missing !== null) {
    context.output.say(warningLine({ code: "no-receiver", message: receiver.missing }));
  }
  const write = (plan: RunPlan) => writePlan(plan, flags.out, context);
  if (flags.scenario === CAPACITY) return await write(capacityPlan(step, target, seed, receiver));
  const plan = planGate({
    target,
    profile,
    only,
    seed,
    scenarios: gateScenarios(),
    witnesses: [],
    cores: availableParallelism(),
    generator: "k6",
    spent: NOTHING_SPENT,
    // Nothing is submitted for a plan, so that nothing has shown it.
    receiver: { ...receiver, reach: "unknown" },
  });
  return await write(scenarioPlan(plan, flags.scenario));
}

/** To a file, so that nothing that a wrapper such as npm prints gets into it; else to stdout. */
async function writePlan(
  plan: RunPlan,
  file: string | undefined,
  { output }: Context,
): Promise<ExitCode> {
  const text = jsonText(plan);
  if (file === undefined) output.result(text);
  else {
    await writeGiven("--out", file, text);
    output.say(`wrote ${file}\n`);
  }
  return EXIT.ok;
}

/** Without a scenario's name, the plan that they share, with the budget of all. */
function scenarioPlan(plan: ReturnType<typeof planGate>, name: string | undefined): RunPlan {
  const steps = plan.steps.filter((step) => step.kind === "scenario");
  const step = name === undefined ? steps[0] : steps.find((each) => each.scenario.name === name);
  if (step === undefined) {
    const what = name === undefined ? "no scenario judges" : `scenario "${name}" judges none of`;
    throw new UsageError("invalid-option", [`--only: ${what} these promises; expected others`]);
  }
  return name === undefined ? { ...step.plan, budget: plan.ceiling ?? plan.planned } : step.plan;
}
