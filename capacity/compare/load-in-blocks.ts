/** Loads one deployment block by block, for a comparison with what it will be later. */

import { setTimeout as sleep } from "node:timers/promises";

import type { Budget } from "../../contract/run/run-plan.ts";
import { runBlock } from "./block-run.ts";
import type { EndsBy } from "./job-run.ts";
import type { Block } from "./round.ts";
import { endsToldBy, isLate, isThrottled, openedSide } from "./run-comparison.ts";
import type { Subject } from "./side.ts";

export interface LoadInBlocksOptions {
  jobsPerSecond: number;
  blockSeconds: number;
  blocks: number;
  budget: Budget | null;
  signal: AbortSignal;
}

export interface LoadedBlocks {
  blocks: Block[];
  endsBy: EndsBy;
  discarded: number;
  failures: readonly string[];
}

/** Ours: of as many blocks this share may be lost to a busy machine or a limiter. */
const DISCARDED_SHARE_MAX = 0.5;

/** The first block warms up and is not kept. An interruption ends it with what is there. */
export async function loadInBlocks(
  subject: Subject,
  options: LoadInBlocksOptions,
): Promise<LoadedBlocks> {
  const { jobsPerSecond, blockSeconds: seconds, signal } = options;
  const side = openedSide(subject, options);
  const blocks: Block[] = [];
  const failures = new Set<string>();
  const lives: number[] = [];
  const runsMax = 1 + Math.ceil(options.blocks * (1 + DISCARDED_SHARE_MAX));
  let runs = 0;
  let endsBy: EndsBy = "byPolls";
  try {
    while (blocks.length < options.blocks && runs < runsMax && affords(options, runs)) {
      const run = await runBlock({ side, jobsPerSecond, seconds, lives, endsBy, signal });
      runs += 1;
      if (runs === 1) endsBy = endsToldBy([run]);
      for (const failure of run.failures) failures.add(failure);
      if (runs > 1 && !isThrottled(run) && !isLate(run)) blocks.push(run.block);
      if (run.heldMs !== null) await sleep(run.heldMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await side.client.close();
  }
  const discarded = Math.max(0, runs - 1 - blocks.length);
  return { blocks, endsBy, discarded, failures: [...failures] };
}

function affords({ budget, jobsPerSecond, blockSeconds }: LoadInBlocksOptions, runs: number) {
  const jobs = Math.max(1, Math.round(jobsPerSecond * blockSeconds));
  return budget?.jobs == null || (runs + 1) * jobs <= budget.jobs;
}
