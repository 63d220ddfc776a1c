/** Plans a gate run: which scenarios, with which keys and budget, beside or after each other. */

import type { ReceiverReach } from "../contract/jobs/delivery.ts";
import { COST_DUE_MS } from "../contract/judges/job/shape.ts";
import type { Spent } from "../contract/limits/budget.ts";
import { leftOf } from "../contract/limits/budget.ts";
import type { PromiseId } from "../contract/promises.ts";
import { PROMISE_IDS } from "../contract/promises.ts";
import type {
  Budget,
  KeyRoles,
  LoadGenerator,
  LoadPlan,
  RunPlan,
} from "../contract/run/run-plan.ts";
import { RUN_PLAN_SCHEMA_VERSION } from "../contract/run/run-plan.ts";
import { shardsFor } from "../contract/run/shards.ts";
import type { Target } from "../contract/target.ts";
import { promisedTimes } from "../contract/time/promised-times.ts";
import type { JobLimits } from "./budget.ts";
import {
  budgetCeiling,
  jobLimits,
  jobNeed,
  jobsPlanned,
  limitedShare,
  shareBudget,
  sumBudgets,
} from "./budget.ts";
import { assignKeyRoles } from "./key-roles.ts";
import type { Occupancy } from "./occupancy.ts";
import { canRunBeside, judges, occupancyOf } from "./occupancy.ts";
import type { GateScenario, JobsPlanned } from "./options.ts";
import type { OpenReceiver } from "./webhook-receiver.ts";
import type { NodeWitness } from "./witnesses/witness.ts";

export interface GatePlan {
  /** A step starts when the earlier ones that it waits for have settled. */
  steps: readonly Step[];
  ceiling: Budget | null;
  planned: Budget;
  /** How many jobs will be submitted; without a ceiling, too. */
  jobs: JobsPlanned;
  limits: JobLimits;
  /** What the gate had spent before. */
  spent: Spent;
  /** Of all steps, each of which has its share of the budget. */
  plan: RunPlan;
}

interface StepBase {
  name: string;
  /** Names of earlier steps that must have settled. */
  after: readonly string[];
  plan: RunPlan;
}

export interface ScenarioStep extends StepBase {
  kind: "scenario";
  scenario: GateScenario;
  /** Asks a second time what the first run of the scenario left in doubt. */
  isAgain?: boolean;
  timeLimitMs: number;
}

export interface WitnessStep extends StepBase {
  kind: "witness";
  witness: NodeWitness;
}

export type Step = ScenarioStep | WitnessStep;

export interface PlanInput {
  target: Target;
  profile: RunPlan["profile"];
  only: readonly PromiseId[] | null;
  seed: number;
  scenarios: readonly GateScenario[];
  witnesses: readonly NodeWitness[];
  /** Where webhooks arrive in this run, or why nowhere. */
  receiver: Pick<OpenReceiver, "access" | "missing"> & { reach: ReceiverReach };
  /** What the gate has spent already, out of the same budget. */
  spent: Spent;
  /** What scenarios may still submit; left out: as the plan finds. */
  limits?: JobLimits;
  /** Of the machine that offers the load. */
  cores: number;
  /** What sends the load. */
  generator: LoadGenerator;
}

/**
 * Ours: no scenario of the profile takes that long, even on a busy machine. A limit there must be,
 * since k6 can hang for ever without a word.
 */
const TIME_LIMITS_MS: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 4 * 60_000,
  standard: 20 * 60_000,
  // A limit of 25 min is tried.
  soak: 35 * 60_000,
};

/** Ours: the load fits into the profile's time; only a soak takes as long as asked. */
const LOAD_MS_MAX: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 15_000,
  standard: 120_000,
  soak: Number.POSITIVE_INFINITY,
};

export function planGate(input: PlanInput): GatePlan {
  const { target } = input;
  const asked = input.only ?? PROMISE_IDS;
  const roles = assignKeyRoles(target.keys, target.load?.keys ?? null);
  const witnesses = input.witnesses.filter(({ promise, tellsAlso = [] }) =>
    [promise, ...tellsAlso].some((id) => asked.includes(id)),
  );
  const needed = [...asked, ...witnesses.flatMap(({ looksAtJobsOf }) => looksAtJobsOf ?? [])];
  const scenarios = inOrder(input.scenarios.filter((each) => wants(needed, each.promises)));
  const ceiling = budgetCeiling(target);
  const unsharded = runPlan(input, [...new Set(needed)], roles);
  const needs = scenarios.map((scenario) => jobNeed(scenario, unsharded));
  const limits = input.limits ?? jobLimits(scenarios, needs, unsharded);
  const shares = shareBudget(leftOf(ceiling, input.spent), needs);
  const loadAt = scenarios.findIndex((scenario) => judges(scenario, "load"));
  const plan = withShards(unsharded, shares[loadAt], input.cores);
  const isFirst = ({ looksAtJobsOf }: NodeWitness) => looksAtJobsOf === undefined;
  const drafts = [
    ...witnesses.filter(isFirst).map((witness) => witnessDraft(witness, plan)),
    ...scenarios.map((scenario, at) => {
      const budget = limitedShare(scenario, shares[at] ?? plan.budget, limits);
      return scenarioDraft(scenario, { ...plan, budget });
    }),
    ...witnesses.filter((each) => !isFirst(each)).map((witness) => witnessDraft(witness, plan)),
  ];
  return {
    steps: drafts.map(({ step }, at) => ({ ...step, after: namesBefore(drafts, at) })),
    ceiling,
    planned: sumBudgets(shares),
    jobs: jobsPlanned(ceiling, needs, limits),
    limits,
    spent: input.spent,
    plan,
  };
}

/** A soak in k6 has metrics only where they are sent on; Node offers several times its rate. */
export function generatorOf(
  { profile, target }: Pick<PlanInput, "profile" | "target">,
  sendsMetrics: boolean,
): LoadGenerator {
  if (sendsMetrics) return "k6";
  return target.load?.generator ?? (profile === "soak" ? "node" : "k6");
}

function wants(asked: readonly PromiseId[], own: readonly PromiseId[]): boolean {
  return own.some((id) => asked.includes(id));
}

/** Webhooks first, as they are waited for longest; the load last, as it disturbs all others. */
function inOrder(scenarios: readonly GateScenario[]): readonly GateScenario[] {
  const rank = (each: GateScenario) => (judges(each, "webhook") ? 0 : judges(each, "load") ? 2 : 1);
  return [...scenarios].sort((a, b) => rank(a) - rank(b));
}

interface Draft {
  step: Step;
  occupancy: Occupancy;
}

function witnessDraft(witness: NodeWitness, plan: RunPlan): Draft {
  const names = (witness.asksAs ?? ["caller"]).map((role) => plan.roles[role]);
  const keys = plan.keys.filter(({ name }) => names.includes(name));
  const step = { kind: "witness", name: witness.name, witness, plan, after: [] } as const;
  return { step, occupancy: { keys, submitters: [] } };
}

function scenarioDraft(scenario: GateScenario, plan: RunPlan): Draft {
  const load = judges(scenario, "load") ? plan.load : null;
  // Costs of its jobs may come as late as that.
  const loadMs = load === null ? 0 : load.durationMs + COST_DUE_MS;
  const timeLimitMs = TIME_LIMITS_MS[plan.profile] + loadMs;
  const step = {
    kind: "scenario",
    name: scenario.name,
    scenario,
    plan,
    timeLimitMs,
    after: [],
  } as const;
  return { step, occupancy: occupancyOf(scenario, plan) };
}

/** The earlier steps that would disturb this one, or be disturbed by it. */
function namesBefore(drafts: readonly Draft[], at: number): readonly string[] {
  const own = drafts[at];
  if (own === undefined) return [];
  const earlier = drafts.slice(0, at).filter((draft) => disturb(draft, own));
  return earlier.map(({ step }) => step.name);
}

function disturb(earlier: Draft, later: Draft): boolean {
  if (!canRunBeside(earlier.occupancy, later.occupancy)) return true;
  return leavesJobsFor(earlier.step, later.step) || loadsService(later.step);
}

function leavesJobsFor(earlier: Step, later: Step): boolean {
  if (earlier.kind !== "scenario" || later.kind !== "witness") return false;
  const { looksAtJobsOf: promise } = later.witness;
  return promise !== undefined && earlier.scenario.promises.includes(promise);
}

/**
 * The load slows the service down for everyone, and its own jobs queue behind those of others.
 * Waits for webhooks don't mind: they have begun when all jobs of their scenario have ended.
 */
function loadsService(step: Step): boolean {
  return step.kind === "scenario" && judges(step.scenario, "load");
}

function runPlan(input: PlanInput, asked: readonly PromiseId[], roles: KeyRoles): RunPlan {
  const { target, seed, profile } = input;
  return {
    schemaVersion: RUN_PLAN_SCHEMA_VERSION,
    baseUrl: target.baseUrl,
    times: promisedTimes(target),
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
    receiverReach: input.receiver.reach,
    load: target.load === null ? null : loadWithin(input, target.load),
    budget: { jobs: 0, credits: 0, usd: 0 },
    ...(target.trace == null ? {} : { trace: true }),
  };
}

function withShards(plan: RunPlan, budget: Budget | undefined, cores: number): RunPlan {
  if (plan.load === null || budget === undefined) return plan;
  const shards = shardsFor({ ...plan, budget }, cores);
  return { ...plan, load: { ...plan.load, shards } };
}

function loadWithin({ profile, generator }: PlanInput, load: LoadPlan): LoadPlan {
  const durationMs = Math.min(load.durationMs, LOAD_MS_MAX[profile]);
  return { ...load, durationMs, generator };
}
