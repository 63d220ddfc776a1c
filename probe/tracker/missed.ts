/** States that a job went through unseen: counted with their probability, never invented. */

import type { State, Variant } from "../../contract/states.ts";
import { stateRank } from "../../contract/states.ts";

export interface MissedState {
  state: State;
  /** That the job was in this state between two looks. */
  probability: number;
}

/** How often a state was seen in jobs that could have been in it, from earlier canaries. */
export type SeenShare = (state: State) => number | null;

/** States between the listed ends, by variant. Spec §3.1. */
const BETWEEN: Readonly<Record<Variant, readonly State[]>> = {
  A: ["queued", "running"],
  B: ["queued", "starting", "running"],
};

/** Ours: of a state that no canary was ever seen in nobody can tell whether it is used. */
const UNKNOWN = 0.5;

/**
 * What lies between two states that were seen one after the other. A completed or timed-out job
 * must have run (Spec §3.1); whether a failed or cancelled one did is open.
 */
export function missedBetween(
  from: State,
  to: State,
  variant: Variant,
  seenShare: SeenShare,
): readonly MissedState[] {
  const [low, high] = [stateRank(from), stateRank(to)];
  const certain = to === "completed" || to === "timeout";
  return BETWEEN[variant]
    .filter((state) => stateRank(state) > low && stateRank(state) < high)
    .filter((state) => to !== "cancelled" || state === "starting")
    .map((state) => ({
      state,
      probability: certain && state === "running" ? 1 : (seenShare(state) ?? UNKNOWN),
    }));
}
