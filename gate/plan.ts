/** Plans a gate run: which scenarios, with which keys and budget, beside or after each other. */

import type { PromiseId } from "../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../contract/promises.ts";
import type { Budget, KeyRoles, RunPlan } from "../contract/run-plan.ts";
import { RUN_PLAN_SCHEMA_VERSION } from "../contract/run-plan.ts";
import type { Target } from "../contract/target.ts";
import { budgetCeiling, shareBudget, sumBudgets } from "./budget.ts";
import { assignKeyRoles, canRunBeside } from "./key-roles.ts";
import type { GateScenario } from "./options.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";
import type { NodeWitness } from "./witnesses/witness.ts";

export interface GatePlan {
  roles: KeyRoles;
  /** Lanes run beside each other, the steps of a lane one after the other. */
  lanes: readonly (readonly Step[])[];
  ceiling: Budget | null;
  planned: Budget;
}

export type Step =
  | { kind: "k6"; scenario: GateScenario; plan: RunPlan; timeLimitMs: number }
  | { kind: "node"; witness: NodeWitness; plan: RunPlan };

export interface PlanInput {
  target: Target;
  profile: RunPlan["profile"];
  only: readonly PromiseId[] | null;
  seed: number;
  scenarios: readonly GateScenario[];
  witnesses: readonly NodeWitness[];
  /** Where webhooks arrive in this run, or why nowhere. */
  receiver: Pick<OpenReceiver, "access" | "missing">;
}

/**
 * Ours: no scenario of the profile takes that long, even on a busy machine. A limit there must be,
 * since k6 can hang for ever without a word.
 */
const TIME_LIMITS_MS: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 4 * 60_000,
  standard: 20 * 60_000,
  soak: 24 * 60 * 60_000,
};

export function planGate(input: PlanInput): GatePlan {
  const asked = input.only ?? PROMISE_IDS;
  const roles = assignKeyRoles(input.target.keys);
  const scenarios = input.scenarios.filter((each) => wants(asked, each.promises));
  const ceiling = budgetCeiling(input.target);
  const askedOf = (scenario: GateScenario) => scenario.promises.filter((id) => asked.includes(id));
  const shares = shareBudget(ceiling, scenarios.map(askedOf));
  const plan = runPlan(input, asked, roles);
  const steps: Step[] = scenarios.map((scenario, at) => ({
    kind: "k6",
    scenario,
    plan: { ...plan, budget: shares[at] ?? plan.budget },
    timeLimitMs: TIME_LIMITS_MS[input.profile],
  }));
  const witnesses = input.witnesses
    .filter((witness) => wants(asked, [witness.promise]))
    .map((witness): Step => ({ kind: "node", witness, plan }));
  return {
    roles,
    lanes: arrange(steps, witnesses, canRunBeside(roles)),
    ceiling,
    planned: sumBudgets(shares),
  };
}

function wants(asked: readonly PromiseId[], own: readonly PromiseId[]): boolean {
  return own.some((id) => asked.includes(id));
}

function runPlan(input: PlanInput, asked: readonly PromiseId[], roles: KeyRoles): RunPlan {
  const { target, seed, profile } = input;
  return {
    schemaVersion: RUN_PLAN_SCHEMA_VERSION,
    baseUrl: target.baseUrl,
    timeScale: target.timeScale,
    seed,
    profile,
    promises: asked,
    keys: target.keys,
    roles,
    workers: target.workers,
    publish: target.publish,
    cancel: target.cancel,
    tolerances: target.tolerances,
    receiver: input.receiver.access,
    receiverMissing: input.receiver.missing,
    load: target.load,
    paceShare: 1,
    accountIsQuiet: true,
    budget: { jobs: 0, credits: 0, usd: 0 },
  };
}

/**
 * The careful steps share the caller's key, so they follow each other; the measuring of limits goes
 * beside them where it has keys of its own, and after them where it has not.
 */
function arrange(
  scenarios: readonly Step[],
  witnesses: readonly Step[],
  beside: boolean,
): Step[][] {
  const careful = scenarios.filter((step) => !measuresLimits(step));
  const limits = scenarios.filter(measuresLimits);
  const lanes = beside
    ? [[...witnesses, ...careful], limits]
    : [[...witnesses, ...careful, ...limits]];
  return lanes.filter((lane) => lane.length > 0);
}

function measuresLimits(step: Step): boolean {
  return step.kind === "k6" && step.scenario.promises.some((id) => groupOf(id) === "rate");
}
