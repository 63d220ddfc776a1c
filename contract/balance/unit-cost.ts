/** What amounts move by for each unit of what a job costs. Spec §2.10 */

import type { Change } from "./changes.ts";
import { fallOf, movedBy, pathsMoved, shownStep } from "./changes.ts";
import type { Amounts } from "./read.ts";

/** An amount, and what it moves by for each unit of cost: it falls by that, or rises. */
export interface Moving {
  path: string;
  perCost: number;
  /** Jobs showed that it is so, also where it is 1; left out: its name or its size does. */
  isShownByJobs?: true;
}

/** A completed job of known cost, and what the account showed around it. */
export interface PricedJob extends Change {
  cost: number;
}

/** What one job moved amounts by for each unit of its cost; a failed reading tells nothing. */
export function unitsOf(job: PricedJob): Amounts {
  const { before, after, cost } = job;
  const moved = pathsMoved(job).filter((path) => path in before && path in after);
  return Object.fromEntries(cost > 0 ? moved.map((path) => [path, movedBy(path, job) / cost]) : []);
}

/** Amounts that fell with a job of known cost. */
export function balanceFactors(job: PricedJob | null): readonly Moving[] {
  if (job === null) return [];
  return Object.entries(unitsOf(job)).flatMap(([path, perCost]) => {
    const fall = fallOf(path, job);
    // What is shown in whole credits fell by the cost, but for what it was rounded by.
    const step = shownStep(path, job);
    const isInCosts = job.cost >= step && Math.abs(fall - job.cost) < step;
    return fall === 0 ? [] : [{ path, perCost: isInCosts ? 1 : perCost }];
  });
}
