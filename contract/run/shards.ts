/**
 * A load in several parts: each shard offers its arrivals, with its share of rate, keys and budget.
 * What the shards of one load observed is judged as one, once all of it is there.
 */

import type { Budget, LoadPlan, PlanKey, RunPlan } from "./run-plan.ts";

/** Which part of the load a scenario carries: shard `index` of `count`, counted from 0. */
export interface Shard {
  index: number;
  count: number;
}

export const WHOLE_LOAD: Shard = { index: 0, count: 1 };

/**
 * Ours: jobs a second that one virtual user, or one thread, follows with half of a core to spare.
 * Measured by `npm run bench`.
 */
const JOBS_PER_SECOND_A_SHARD = { k6: 150, node: 500 } as const;
/** Ours: a share of fewer jobs is no load, and its rounding would show. */
const BUDGET_JOBS_A_SHARD = 100;

/**
 * How many virtual users share a load: as many as its rate takes, on a machine of so many cores.
 * More than one only where the limits of all its keys are known, so that each can have its share.
 */
export function shardsFor(plan: RunPlan, cores: number): number {
  const { load, budget } = plan;
  if (load === null) return 1;
  if (load.shards !== undefined) return load.shards;
  if (!knowsLimits(plan)) return 1;
  const each = JOBS_PER_SECOND_A_SHARD[load.generator ?? "k6"];
  const wanted = Math.ceil(offeredPerSecond(plan, load) / each);
  const affordable = Math.floor((budget.jobs ?? Number.POSITIVE_INFINITY) / BUDGET_JOBS_A_SHARD);
  return Math.max(1, Math.min(cores, wanted, affordable));
}

/** Jobs a second that the load offers at the most: what is asked for, within its keys' plans. */
export function offeredPerSecond(
  plan: RunPlan,
  { beyondPlan, jobsPerSecond }: Pick<LoadPlan, "beyondPlan" | "jobsPerSecond">,
): number {
  if (beyondPlan || !knowsLimits(plan)) return jobsPerSecond;
  const allowed = loadedKeys(plan).reduce((sum, key) => sum + (key?.sustained ?? 0), 0);
  return Math.min(jobsPerSecond, allowed);
}

/** Whether each key that carries the load has limits that can be shared. */
function knowsLimits(plan: RunPlan): boolean {
  return loadedKeys(plan).every((key) => key?.sustained != null && key.burst !== null);
}

function loadedKeys({ keys, roles }: RunPlan): readonly (PlanKey | undefined)[] {
  return roles.loaded.map((name) => keys.find((key) => key.name === name));
}

/**
 * As many shards as a load takes, so that each of so many processes has the same number of them;
 * null where it can't be shared, as the limits of its keys are not known.
 */
export function shardsOver(plan: RunPlan, processes: number): number | null {
  if (processes > 1 && !knowsLimits(plan)) return null;
  const wanted = shardsFor(plan, Number.POSITIVE_INFINITY);
  return Math.max(1, Math.ceil(wanted / processes)) * processes;
}

/** The plan of one shard, for which its share is all that there is. */
export function shardPlan(plan: RunPlan, shard: Shard): RunPlan {
  const { index, count } = shard;
  if (count === 1) return plan;
  const { load, roles } = plan;
  return {
    ...plan,
    seed: plan.seed + index * SEED_STEP,
    keys: plan.keys.map((key) => (roles.loaded.includes(key.name) ? shareOfKey(key, count) : key)),
    budget: shareOfBudget(plan.budget, shard),
    load: load === null ? null : { ...load, jobsPerSecond: load.jobsPerSecond / count, shards: 1 },
  };
}

/** Ours: any odd number; seeds of neighbouring runs stay apart. */
const SEED_STEP = 0x9e3779b1;

function shareOfKey(key: PlanKey, count: number): PlanKey {
  const share = (limit: number | null) => (limit === null ? null : limit / count);
  return { ...key, sustained: share(key.sustained), burst: share(key.burst) };
}

/** Whole jobs; the first shards have one more where they can't be divided. */
function shareOfBudget({ jobs, credits, usd }: Budget, { index, count }: Shard): Budget {
  return {
    jobs: jobs === null ? null : Math.floor((jobs + count - 1 - index) / count),
    credits: credits === null ? null : credits / count,
    usd: usd === null ? null : usd / count,
  };
}

/** Scenarios that offer a load, or try it; one virtual user runs all of any other. */
const SHARDED: readonly string[] = ["soak", "machine"];

/** Whether the scenario sends what the load's generator sends. */
export function offersLoad(scenario: string): boolean {
  return SHARDED.includes(scenario);
}

/** How many shards have to leave their records before a scenario can be judged. */
export function shardsOf(scenario: string, { load }: Pick<RunPlan, "load">): number {
  return offersLoad(scenario) ? (load?.shards ?? 1) : 1;
}

/** Types of records that tell whose they are. */
const OF_A_SHARD: readonly string[] = ["registered", "observation", "ended"];

/** What is known of one shard by its records. */
interface Told {
  type: string;
  shard?: Shard;
  /** Of an observation: `failure` and `nothing` are none of the load. */
  kind?: string;
  value?: unknown;
}

/**
 * Why the records are not those of one whole load of `count` shards, in a sentence; null when they
 * are. Each shard begins once, ends once, and fails at nothing in between.
 */
export function shardProblem(all: readonly Told[], count: number): string | null {
  const records = all.filter(({ type }) => OF_A_SHARD.includes(type));
  const shards = Array.from({ length: count }, (_, index) =>
    records.filter(({ shard = WHOLE_LOAD }) => shard.index === index),
  );
  for (const { shard = WHOLE_LOAD } of records) {
    if (shard.count !== count) return `a shard of ${shard.count} is there; expected ${count}`;
  }
  // Where none had anything to look at, nothing is amiss.
  const isIdle = shards.every((own) => own.some(isNothing));
  for (const [index, own] of shards.entries()) {
    const problem = problemOf(own, isIdle);
    if (problem !== null) return `shard ${index + 1} of ${count} ${problem}`;
  }
  return null;
}

function problemOf(own: readonly Told[], isIdle: boolean): string | null {
  const timesOf = (wanted: string) => own.filter(({ type }) => type === wanted).length;
  const [began, ended] = [timesOf("registered"), timesOf("ended")];
  if (began === 0) return "is missing";
  if (began > 1 || ended > 1) return "is there twice";
  if (ended === 0) return "did not finish";
  const failed = own.find((each) => each.kind === "failure" || (isNothing(each) && !isIdle));
  return failed === undefined ? null : `saw nothing of the load: ${reasonOf(failed)}`;
}

function isNothing({ kind, value }: Told): boolean {
  return kind === "nothing" && (value as { promises?: unknown }).promises === undefined;
}

function reasonOf({ value }: Told): string {
  return (value as { reason: string }).reason;
}
