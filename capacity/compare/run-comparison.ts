/** Runs a comparison: rounds of blocks in random ABBA order, until it is settled or must end. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Spent } from "../../contract/limits/budget.ts";
import { affords, costOfMore, NOTHING_SPENT, sumOf } from "../../contract/limits/budget.ts";
import { seededUniform } from "../../contract/numbers/random.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import { MACHINE_TIME, turnsAt } from "../../http/careful.ts";
import { createClient } from "../../http/client.ts";
import type { BlockRun, OpenSide } from "./block-run.ts";
import { runBlock } from "./block-run.ts";
import type { Comparison } from "./comparison.ts";
import type { EndsBy } from "./job-run.ts";
import type { Block, Side } from "./round.ts";
import { orderByLot } from "./round.ts";
import type { Subject } from "./side.ts";

export interface RunOptions {
  subjects: Readonly<Record<Side, Subject>>;
  jobsPerSecond: number;
  blockSeconds: number;
  seed: number;
  /** Jobs that each side may be given, and what they may cost; null: any. */
  budgets: Readonly<Record<Side, Budget | null>>;
  signal: AbortSignal;
  onRound: (comparison: Comparison) => void;
  /** Calibration wants all rounds, whatever they say. */
  runsToTheEnd: boolean;
}

/** Closed set of why a comparison ended. */
export type Ending = "settled" | "full" | "budget" | "throttled" | "slow generator" | "interrupted";

export interface ComparisonRun {
  ending: Ending;
  /** Rounds that were not counted, as the generator was late or the limiter refused requests. */
  discarded: number;
  spent: Readonly<Record<Side, Spent>>;
  endsBy: EndsBy;
  /** What failed, in words. */
  failures: readonly string[];
}

/** Ours: a generator that is so late measures itself. */
const LAG_MS_MAX = 150;
/** Ours: so many rounds lost for the same reason, and more than were kept, are no accident. */
const DISCARDED_MAX = 4;
const BLOCKS_A_SIDE = 2;
/** Ours: reads that come together may go out together, a few at a time. */
const AHEAD = 4;

interface Progress {
  sides: Readonly<Record<Side, OpenSide>>;
  loads: typeof runBlock;
  lives: number[];
  endsBy: EndsBy;
  spent: Record<Side, Spent>;
  failures: Set<string>;
  discarded: { slow: number; throttled: number };
}

/** Fills the comparison. An interruption ends it with what is there. `loads` carries a block. */
export async function runComparison(
  comparison: Comparison,
  options: RunOptions,
  loads = runBlock,
): Promise<ComparisonRun> {
  const sides = {
    base: openedSide(options.subjects.base, options),
    candidate: openedSide(options.subjects.candidate, options),
  };
  const progress: Progress = {
    sides,
    loads,
    lives: [],
    endsBy: "byPolls",
    spent: { base: NOTHING_SPENT, candidate: NOTHING_SPENT },
    failures: new Set(),
    discarded: { slow: 0, throttled: 0 },
  };
  const ending = await runRounds(comparison, options, progress).catch((error: unknown) => {
    if (!options.signal.aborted) throw error;
    return "interrupted" as const;
  });
  await Promise.all(Object.values(sides).map(({ client }) => client.close()));
  const { slow, throttled } = progress.discarded;
  const { spent, endsBy, failures } = progress;
  return { ending, discarded: slow + throttled, spent, endsBy, failures: [...failures] };
}

export function openedSide(
  subject: Subject,
  { jobsPerSecond }: Pick<RunOptions, "jobsPerSecond">,
): OpenSide {
  const reads = Math.max(jobsPerSecond, subject.requestsPerSecond - jobsPerSecond);
  const client = createClient(subject.target.baseUrl);
  return { subject, client, turn: turnsAt(reads, AHEAD, MACHINE_TIME) };
}

async function runRounds(
  comparison: Comparison,
  options: RunOptions,
  progress: Progress,
): Promise<Ending> {
  const lot = seededUniform(options.seed);
  const warmUp = await runRound(["base", "candidate"], options, progress);
  progress.endsBy = endsToldBy(warmUp);
  for (;;) {
    const isDone = options.runsToTheEnd ? comparison.isFull : comparison.isSettled;
    if (isDone) return comparison.isFull ? "full" : "settled";
    if (!hasRoom(options, progress)) return "budget";
    const runs = await runRound(orderByLot(lot), options, progress);
    if (!runs.some(isThrottled) && !runs.some(isLate)) {
      comparison.add(runs.map(({ block }): Block => block));
      options.onRound(comparison);
      continue;
    }
    if (runs.some(isThrottled)) progress.discarded.throttled += 1;
    else progress.discarded.slow += 1;
    const kept = comparison.rounds.length;
    const limit = Math.max(DISCARDED_MAX, kept);
    if (progress.discarded.throttled >= limit) return "throttled";
    if (progress.discarded.slow >= limit) return "slow generator";
  }
}

/** Who can tell the ends on both sides: decided once, as two who tell it differ. */
export function endsToldBy(warmUp: readonly BlockRun[]): EndsBy {
  return warmUp.every(({ endsTold }) => endsTold === "byService") ? "byService" : "byPolls";
}

export function isThrottled({ heldMs }: BlockRun): boolean {
  return heldMs !== null;
}

export function isLate({ lagMs }: BlockRun): boolean {
  return lagMs > LAG_MS_MAX;
}

async function runRound(
  order: readonly Side[],
  options: RunOptions,
  { sides, loads, lives, endsBy, spent, failures }: Progress,
): Promise<BlockRun[]> {
  const runs: BlockRun[] = [];
  for (const name of order) {
    const { jobsPerSecond, blockSeconds: seconds, signal } = options;
    const load = { jobsPerSecond, seconds, lives, endsBy, signal };
    const run = await loads({ side: sides[name], ...load });
    runs.push(run);
    for (const failure of run.failures) failures.add(`${name}: ${failure}`);
    spent[name] = sumOf(spent[name], run);
    if (run.heldMs !== null) {
      await sleep(run.heldMs, undefined, { signal });
    }
  }
  return runs;
}

/** Whether one more round fits into what each side may cost, judged by what it has cost so far. */
function hasRoom({ budgets, jobsPerSecond, blockSeconds }: RunOptions, { spent }: Progress) {
  const more = BLOCKS_A_SIDE * Math.max(1, Math.round(jobsPerSecond * blockSeconds));
  return (["base", "candidate"] as const).every((name) =>
    affords(budgets[name], spent[name], costOfMore(spent[name], more)),
  );
}
