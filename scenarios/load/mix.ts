/** What a soak is made of: parts by weight, in an even order. */

import type { LoadPart, RunPlan, WorkerPart } from "../../contract/run-plan.ts";
import type { CancelRequest } from "../client/cancel-request.ts";
import { cancelCandidates } from "../client/cancel-request.ts";

export interface MixPart {
  part: LoadPart;
  worker: WorkerPart;
  weight: number;
}

export interface Mix {
  parts: readonly MixPart[];
  /** How a job of the part `cancel` is cancelled; null: there are none. */
  cancel: CancelRequest | null;
  /** Parts that were asked for and can't be played. */
  missing: readonly LoadPart[];
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

export function mixOf(plan: RunPlan): Mix {
  const asked = Object.entries(plan.load?.mix ?? {}) as [LoadPart, number][];
  const isDefault = asked.length === 0;
  const weights = isDefault ? (Object.entries(DEFAULT_WEIGHTS) as typeof asked) : asked;
  const cancel = cancelOf(plan);
  const parts = weights.flatMap(([part, weight]) => {
    const worker = part === "cancel" ? cancellable(plan, cancel) : plan.workers[part];
    return worker === undefined || !(weight > 0) ? [] : [{ part, worker, weight }];
  });
  const played = parts.map(({ part }) => part);
  const missing = isDefault ? [] : weights.map(([part]) => part).filter((p) => !played.includes(p));
  return { parts, cancel: played.includes("cancel") ? cancel : null, missing };
}

/** A method that is yet to be found is not tried out under load. */
function cancelOf(plan: RunPlan): CancelRequest | null {
  if (plan.cancel === null || plan.cancel.method === "auto") return null;
  return cancelCandidates(plan)[0] ?? null;
}

/** Slow jobs queue, so that some can be cancelled. */
function cancellable(plan: RunPlan, cancel: CancelRequest | null): WorkerPart | undefined {
  return cancel === null ? undefined : (plan.workers.slow ?? plan.workers.success);
}

/** Takes items in turn by their weights, as evenly as they go: nginx's smooth weighting. */
export function takeInTurn<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
): () => Item | null {
  const credit = items.map(() => 0);
  const total = items.reduce((sum, item) => sum + weightOf(item), 0);
  return () => {
    let best = 0;
    for (const [index, item] of items.entries()) {
      credit[index] = (credit[index] ?? 0) + weightOf(item);
      if ((credit[index] ?? 0) > (credit[best] ?? 0)) best = index;
    }
    credit[best] = (credit[best] ?? 0) - total;
    return items[best] ?? null;
  };
}
