/** What a soak is made of, and in which order: as even as the weights go. */

import type { MixPart } from "../../../contract/run/load-mix.ts";
import { mixParts } from "../../../contract/run/load-mix.ts";
import type { LoadPart, RunPlan } from "../../../contract/run/run-plan.ts";
import type { CancelRequest } from "../../client/cancel-request.ts";
import { cancelCandidates } from "../../client/cancel-request.ts";

export interface Mix {
  parts: readonly MixPart[];
  /** How a job of the part `cancel` is cancelled; null: there are none. */
  cancel: CancelRequest | null;
  /** Parts that were asked for and can't be played. */
  missing: readonly LoadPart[];
}

export function mixOf(plan: RunPlan): Mix {
  const { parts, missing } = mixParts(plan);
  const isCancelled = parts.some(({ part }) => part === "cancel");
  return { parts, missing, cancel: isCancelled ? (cancelCandidates(plan)[0] ?? null) : null };
}

/** Takes items in turn by their weights, as evenly as they go: nginx's smooth weighting. */
export function takeInTurn<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
): () => Item | null {
  const weights = items.map(weightOf);
  const credit = items.map(() => 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let best = 0;
    // By index: each shard counts through all arrivals, and an iterator takes k6 ten times as long.
    for (let index = 0; index < weights.length; index += 1) {
      credit[index] = (credit[index] ?? 0) + (weights[index] ?? 0);
      if ((credit[index] ?? 0) > (credit[best] ?? 0)) best = index;
    }
    credit[best] = (credit[best] ?? 0) - total;
    return items[best] ?? null;
  };
}
