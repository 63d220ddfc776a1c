/**
 * Tells of a worker that is billed per run, and whose runs have several prices. Which price one has
 * to pay is open (Spec §2.9: volume pricing), so that nothing is judged by it. Spec §2.2.
 */

import { jobIn } from "../../decode/job.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import { countText, rounded } from "../../numbers/figures.ts";
import { isSuccess } from "../../requests/exchange.ts";

/** Ours: costs of which each job has its own are metered, whatever the mode is called. */
const JOBS_OF_ONE_COST_MIN = 4;

type Priced = Pick<JobHistory, "workerId" | "polls">;

/** A sentence a worker. `perRun`: identifiers of workers that are billed per run. */
export function priceNotes(
  jobs: readonly Priced[],
  perRun: ReadonlySet<string>,
): readonly string[] {
  return [...perRun].flatMap((id) => {
    const costs = jobs
      .filter(({ workerId }) => workerId === id)
      .flatMap((job) => costOf(job) ?? []);
    const times = new Map<string, number>();
    for (const cost of costs) times.set(cost, (times.get(cost) ?? 0) + 1);
    if (times.size < 2 || costs.length < JOBS_OF_ONE_COST_MIN * times.size) return [];
    const told = [...times].map(([cost, count]) => `${count} of them ${cost}`);
    const head = `worker "${id}" is billed per run, and its ${countText(costs.length, "job")}`;
    return [`${head} that completed cost differently: ${told.join(", ")}`];
  });
}

/** Of its run, where that is told apart; null where it did not complete, or does not tell. */
function costOf({ polls }: Priced): string | null {
  const job = jobIn(polls.findLast(isSuccess));
  if (job?.state !== "completed") return null;
  const { credits, runUsd, totalUsd } = job.cost;
  if (credits !== null) return `${rounded(credits, 6)} credits`;
  const usd = runUsd ?? totalUsd;
  return usd === null ? null : `${rounded(usd, 6)} USD`;
}
