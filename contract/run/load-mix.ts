/** What a load is made of: parts by weight. */

import type { LoadPart, RunPlan, WorkerPart } from "./run-plan.ts";

export interface MixPart {
  part: LoadPart;
  worker: WorkerPart;
  weight: number;
}

/** Ours: mostly short jobs; of the long ones so few that a small worker keeps up with them. */
const DEFAULT_WEIGHTS: Readonly<Record<LoadPart, number>> = {
  success: 12,
  list: 2,
  empty: 2,
  files: 2,
  failure: 1,
  timeout: 1,
  slow: 1,
  cancel: 1,
};

/** Of a plan or a target. */
type Mixed = Pick<RunPlan, "load" | "workers" | "cancel">;

/** The parts of the plan's load, and those that were asked for and can't be played. */
export function mixParts(plan: Mixed): { parts: MixPart[]; missing: LoadPart[] } {
  const asked = Object.entries(plan.load?.mix ?? {}) as [LoadPart, number][];
  const isDefault = asked.length === 0;
  const weights = isDefault ? (Object.entries(DEFAULT_WEIGHTS) as typeof asked) : asked;
  const parts = weights.flatMap(([part, weight]) => {
    const worker = part === "cancel" ? cancellable(plan) : plan.workers[part];
    return worker === undefined || !(weight > 0) ? [] : [{ part, worker, weight }];
  });
  const played = parts.map(({ part }) => part);
  const missing = isDefault ? [] : weights.map(([part]) => part).filter((p) => !played.includes(p));
  return { parts, missing };
}

/** Slow jobs queue, so that some can be cancelled; not by a method that is yet to be found. */
function cancellable({ cancel, workers }: Mixed): WorkerPart | undefined {
  if (cancel === null || cancel.method === "auto") return undefined;
  return workers.slow ?? workers.success;
}
