/** States that a job went through unseen: counted with their probability, never invented. */

import type { State, Variant } from "../states.ts";
import { stateRank } from "../states.ts";

export interface MissedState {
  state: State;
  /** That the job was in this state between two polls. */
  probability: number;
}

/** In how many of the worker's jobs that ended a state was seen. */
export type Sightings = (state: State) => { seen: number; jobs: number };

/** States between the listed ends, by variant. Spec §3.1. */
const BETWEEN: Readonly<Record<Variant, readonly State[]>> = {
  A: ["queued", "running"],
  B: ["queued", "starting", "running"],
};

/**
 * What lies between two states that were seen one after the other. A completed or timed-out job
 * must have run (Spec §3.1); whether a failed or cancelled one did is open.
 */
export function missedBetween(
  from: State,
  to: State,
  variant: Variant,
  sightings: Sightings,
): readonly MissedState[] {
  const [low, high] = [stateRank(from), stateRank(to)];
  const certain = to === "completed" || to === "timeout";
  return BETWEEN[variant]
    .filter((state) => stateRank(state) > low && stateRank(state) < high)
    .filter((state) => to !== "cancelled" || state === "starting")
    .map((state) => ({
      state,
      probability: certain && state === "running" ? 1 : passingShare(sightings(state)),
    }));
}

/**
 * The share of jobs that pass through a state lies between the share that was seen in it and all
 * of them: polls miss it. The middle of the two; of a state that was never seen it falls with each
 * job that did not show it.
 */
function passingShare({ seen, jobs }: { seen: number; jobs: number }): number {
  return seen === 0 ? 1 / (jobs + 2) : (1 + seen / jobs) / 2;
}
