/**
 * A random history of the whole probe on a healthy service: lives that end in crashes at any write,
 * torn writes, losses of power, a full disk, a budget that may bind; then one that ends its course.
 */

import type { Target } from "../../../contract/target.ts";
import { CrashPlan } from "../../../simulation/crash-plan.ts";
import type { Life, LivesHistory } from "../../../simulation/simulated-lives.ts";
import { simulateLives } from "../../../simulation/simulated-lives.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { Chance } from "../../probe/journal/simulation/chance.ts";
import { crashProblems } from "./crash-invariants.ts";
import type { HealthyHours } from "./healthy-hours.ts";
import { HOUR_MS, healthySetup } from "./healthy-hours.ts";

const MINUTE_MS = 60_000;
/** Ours: a life of half an hour's history commits some fifty times. */
const COMMITS_MAX = 30;
const LIVES_MAX = 4;

export interface CrashHistory {
  history: LivesHistory;
  problems: readonly string[];
  isBudgetReached: boolean;
}

/** `hours`: what the lives may take together, with the last. */
export async function watchCrashes({ world, seed, hours }: HealthyHours): Promise<CrashHistory> {
  const chance = new Chance(seed);
  const partMs = (hours * HOUR_MS) / (LIVES_MAX + 1);
  const lives = Array.from({ length: Math.ceil(chance.between(0, LIVES_MAX)) }, () =>
    lifeOf(chance, partMs),
  );
  const ceilingJobs = chance.happens(0.5) ? Math.ceil(chance.between(5, 50)) : null;
  await using folder = await temporaryFolder();
  const history = await simulateLives({
    ...healthySetup(world, seed),
    durationMs: partMs,
    target: (target) => within(target, ceilingJobs),
    lives,
    folder: folder.path,
  });
  const problems = crashProblems(history, SURROUNDINGS[world], ceilingJobs);
  const isBudgetReached = history.charged === ceilingJobs;
  return { history, problems, isBudgetReached };
}

function lifeOf(chance: Chance, partMs: number): Life {
  const moment = chance.pick({ before: 2, after: 2, torn: 2, "record-torn": 2, "record-after": 1 });
  const isAtWrite = chance.happens(0.8);
  const commits = isAtWrite ? Math.ceil(chance.between(0, COMMITS_MAX)) : Number.MAX_VALUE;
  const msMax = chance.between(isAtWrite ? partMs / 2 : 1_000, partMs);
  const fullMs = chance.between(0, msMax);
  return {
    crash: new CrashPlan(commits, moment),
    msMax,
    isPowerLoss: chance.happens(0.3),
    downMs: chance.between(0, chance.happens(0.2) ? 10 * MINUTE_MS : MINUTE_MS),
    full: chance.happens(0.3) ? [fullMs, fullMs + chance.between(1_000, 3 * MINUTE_MS)] : null,
  };
}

function within(target: Target, jobs: number | null): Target {
  const day = jobs === null ? null : { jobs, credits: null, usd: null };
  const probe = { ...PROBE_PLAN, rateShare: null, budget: { day, month: null } };
  return { ...target, probe };
}

/** The command that plays it again. */
export function replayOf({ world, seed, hours }: HealthyHours): string {
  const options = `--crashes --seeds 1 --from ${seed} --world ${world} --hours ${hours}`;
  return `npm run probe:worlds -- ${options}`;
}
