/** `plumbline plan`: the plan of a run as JSON, for a scenario that runs under stock k6. */

import { availableParallelism } from "node:os";
import { NOTHING_SPENT } from "../../contract/budget.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import { leftOutOfGroup } from "../../gate/merge.ts";
import { planGate } from "../../gate/plan.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";
import type { Context } from "../context.ts";
import { OptionReader } from "../options.ts";
import { gateScenarios } from "../scenario-files.ts";
import type { SinkAccess } from "../sink-access.ts";
import { sinkAccess } from "../sink-access.ts";
import { loadTargetFile } from "../target-file.ts";
import { UsageError } from "../usage-error.ts";
import { warningLine } from "../warnings.ts";

export interface PlanFlags {
  target: string;
  profile: string;
  only?: string;
  scenario?: string;
  seed?: string;
  receiver?: string;
}

const NO_RECEIVER: SinkAccess = { access: null, missing: "the plan names no receiver" };

/** Keys are named in a plan, never held: so their values need not be there yet. */
export async function planCommand(flags: PlanFlags, context: Context): Promise<ExitCode> {
  const options = new OptionReader();
  const profile = options.profile(flags.profile);
  const { only, leftOut } = options.only(flags.only);
  const seed = options.seed(flags.seed);
  const names = SCENARIOS.map(({ name }) => name);
  if (flags.scenario !== undefined) options.oneOf("--scenario", flags.scenario, names);
  options.finish();
  const { target } = await loadTargetFile(flags.target, null);
  for (const id of leftOut) context.output.say(`${id} is ${leftOutOfGroup(id)}\n`);
  const { receiver: queryUrl } = flags;
  const receiver =
    queryUrl === undefined
      ? NO_RECEIVER
      : await sinkAccess(queryUrl, target.baseUrl, context.environment);
  if (queryUrl !== undefined && receiver.missing !== null) {
    context.output.say(warningLine({ code: "no-receiver", message: receiver.missing }));
  }
  const plan = planGate({
    target,
    profile,
    only,
    seed,
    scenarios: gateScenarios(),
    witnesses: [],
    cores: availableParallelism(),
    spent: NOTHING_SPENT,
    // Nothing is submitted for a plan, so that nothing has shown it.
    receiver: { ...receiver, reach: "unknown" },
  });
  const chosen = scenarioPlan(plan, flags.scenario);
  context.output.result(`${JSON.stringify(chosen, null, 2)}\n`);
  return EXIT.ok;
}

/** Without a scenario's name, the plan that they share, with the budget of all. */
function scenarioPlan(plan: ReturnType<typeof planGate>, name: string | undefined): RunPlan {
  const steps = plan.steps.filter((step) => step.kind === "k6");
  const step = name === undefined ? steps[0] : steps.find((each) => each.scenario.name === name);
  if (step === undefined) {
    const what = name === undefined ? "no scenario judges" : `scenario "${name}" judges none of`;
    throw new UsageError("invalid-option", [`--only: ${what} these promises; expected others`]);
  }
  return name === undefined ? { ...step.plan, budget: plan.ceiling ?? plan.planned } : step.plan;
}
