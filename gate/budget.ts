/** Splits what a run may spend among its scenarios. */

import { TURNS_ENOUGH } from "../contract/judges/job/never-lost.ts";
import type { PromiseId } from "../contract/promises.ts";
import { groupOf } from "../contract/promises.ts";
import type { Budget, RunPlan } from "../contract/run/run-plan.ts";
import type { Target } from "../contract/target.ts";
import { judges } from "./occupancy.ts";
import type { GateScenario, JobsPlanned } from "./options.ts";

/** Jobs that a target without a budget of its own is given at the most. Source: promises.md. */
const DEFAULT_JOBS = 50;

const UNLIMITED: Budget = { jobs: null, credits: null, usd: null };

/** Groups whose promises are judged on jobs. */
const JOB_GROUPS: readonly string[] = ["submit", "job", "timeout", "cancel", "webhook", "load"];

/** Ours: a round of rate.rejected-not-run is one job and five submissions beyond the limit. */
const REJECTED_NOT_RUN_JOBS = 6;

/** The ceiling over the whole run; null for none, which only the embedded service has. */
export function budgetCeiling(target: Target): Budget | null {
  if (target.budget !== null) return target.budget;
  return target.embedded ? null : { ...UNLIMITED, jobs: DEFAULT_JOBS };
}

/** What a scenario submits: at the least, to judge anything; and where nothing bounds it. */
export interface JobNeed {
  least: number;
  most: number;
}

export function jobNeed(scenario: GateScenario, plan: RunPlan): JobNeed {
  const asked = scenario.promises.filter((id) => plan.promises.includes(id));
  const least = asked.reduce((sum, id) => sum + leastJobs(id), 0);
  if (judges(scenario, "load")) {
    if (plan.load === null) return NOTHING;
    const { jobsPerSecond, durationMs } = plan.load;
    const most = Math.ceil((jobsPerSecond * durationMs) / 1_000) + TURNS_ENOUGH;
    return { least: Math.min(least, most), most };
  }
  if (judges(scenario, "webhook") && plan.receiver === null) return NOTHING;
  if (judges(scenario, "timeout") && plan.workers.timeout === undefined) return NOTHING;
  return { least, most: least === 0 ? 0 : Math.max(least, scenario.jobs) };
}

const NOTHING: JobNeed = { least: 0, most: 0 };

function leastJobs(id: PromiseId): number {
  if (id === "rate.rejected-not-run") return REJECTED_NOT_RUN_JOBS;
  return JOB_GROUPS.includes(groupOf(id)) ? 1 : 0;
}

/** Shares of the ceiling, in the order given: first what each needs, then what each can use. */
export function shareBudget(ceiling: Budget | null, needs: readonly JobNeed[]): Budget[] {
  if (ceiling === null) return needs.map(() => UNLIMITED);
  const parts = partsOf(ceiling.jobs, needs);
  return parts.map((part) => ({
    jobs: ceiling.jobs === null ? null : Math.floor(ceiling.jobs * part),
    credits: ceiling.credits === null ? null : ceiling.credits * part,
    usd: ceiling.usd === null ? null : ceiling.usd * part,
  }));
}

function partsOf(jobs: number | null, needs: readonly JobNeed[]): readonly number[] {
  const least = needs.map((need) => need.least);
  const spare = jobs === null ? Number.POSITIVE_INFINITY : jobs - sum(least);
  if (spare <= 0) return asParts(least);
  const wishes = needs.map((need) => need.most - need.least);
  const granted = Math.min(1, sum(wishes) === 0 ? 0 : spare / sum(wishes));
  return asParts(needs.map((need, at) => need.least + (wishes[at] ?? 0) * granted));
}

function asParts(amounts: readonly number[]): readonly number[] {
  const total = sum(amounts);
  return amounts.map((amount) => (total === 0 ? 0 : amount / total));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function jobsPlanned(
  ceiling: Budget | null,
  needs: readonly JobNeed[],
  limits: JobLimits,
): JobsPlanned {
  const within = (jobs: number) => Math.min(jobs, ceiling?.jobs ?? jobs);
  return {
    expected: within(sum(needs.map(({ most }) => most))),
    most: within(sum([...limits.values()])),
  };
}

/** How many jobs each scenario that needs some may submit, by its name, a second run included. */
export type JobLimits = ReadonlyMap<string, number>;

/** Ours: what is asked a second time takes no more jobs than at first. */
const RUNS = 2;

export function jobLimits(
  scenarios: readonly GateScenario[],
  needs: readonly JobNeed[],
  { profile }: RunPlan,
): JobLimits {
  const limits = scenarios.flatMap((scenario, at): [string, number][] => {
    const most = needs[at]?.most ?? 0;
    const runs = isAskedAgain(scenario, profile) ? RUNS : 1;
    return most === 0 ? [] : [[scenario.name, most * runs]];
  });
  return new Map(limits);
}

/** A soak asks for as long as it is told; nobody asked for another one. */
export function isAskedAgain(
  scenario: Pick<GateScenario, "promises">,
  profile: RunPlan["profile"],
): boolean {
  return !(profile === "soak" && judges(scenario, "load"));
}

/**
 * The scenario's share, within what it may submit. A load is as long as its plan says: a limit
 * that its virtual users would have to split could only cut its end off.
 */
export function limitedShare(scenario: GateScenario, share: Budget, limits: JobLimits): Budget {
  const limit = limits.get(scenario.name);
  if (limit === undefined || judges(scenario, "load")) return share;
  return { ...share, jobs: Math.min(share.jobs ?? limit, limit) };
}

/** Sum of budgets; a quantity without a ceiling in any of them has none in the sum. */
export function sumBudgets(budgets: readonly Budget[]): Budget {
  const total = (pick: (budget: Budget) => number | null) =>
    budgets.reduce<number | null>((sofar, budget) => {
      const value = pick(budget);
      return sofar === null || value === null ? null : sofar + value;
    }, 0);
  return { jobs: total((b) => b.jobs), credits: total((b) => b.credits), usd: total((b) => b.usd) };
}
