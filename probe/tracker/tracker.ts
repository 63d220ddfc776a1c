/** The state machine of one job: from observations to what is known of its transitions. Pure. */

import type { State } from "../../contract/states.ts";
import { isTerminal, stateRank } from "../../contract/states.ts";
import type { Look, Notice, Observation, Stamps } from "./observation.ts";
import { NO_STAMPS } from "./observation.ts";

/** What was seen of a job; grows with each observation and is never changed in place. */
export interface Track {
  /** Looks that showed the job no earlier than the looks before them, in order of sending. */
  readonly looks: readonly Look[];
  /** The first delivery that named a terminal state. */
  readonly delivery: Notice | null;
  /** The latest stated times. */
  readonly stamps: Stamps;
  /** Looks before this index were made before a gap. */
  readonly gapAfter: number;
  readonly hasGap: boolean;
  /** Answers that showed an earlier state than one seen before: a matter for the judges. */
  readonly regressions: number;
}

export const NEW_TRACK: Track = {
  looks: [],
  delivery: null,
  stamps: NO_STAMPS,
  gapAfter: 0,
  hasGap: false,
  regressions: 0,
};

export function observe(track: Track, observation: Observation): Track {
  if (observation.kind === "gap") {
    return { ...track, gapAfter: track.looks.length, hasGap: true };
  }
  const stamps = mergedStamps(track.stamps, observation.stamps);
  if (observation.kind === "delivery") return observeDelivery({ ...track, stamps }, observation);
  const contradicted = track.looks.some(
    (seen) =>
      seen.receivedAtMs <= observation.sentAtMs &&
      stateRank(seen.state) > stateRank(observation.state),
  );
  if (contradicted) return { ...track, regressions: track.regressions + 1 };
  const looks = [...track.looks, observation].sort((a, b) => a.sentAtMs - b.sentAtMs);
  return { ...track, stamps, looks };
}

function observeDelivery(track: Track, delivery: Notice): Track {
  if (track.delivery !== null || !isTerminal(delivery.state)) return track;
  return { ...track, delivery };
}

/** A time once stated is kept: it is final, or one of two witnesses is wrong. */
function mergedStamps(known: Stamps, told: Stamps): Stamps {
  return {
    created: known.created ?? told.created,
    started: told.started ?? known.started,
    finished: told.finished ?? known.finished,
  };
}

/** The furthest state that a look has shown; null before the first. */
export function stateOf(track: Track): State | null {
  return track.looks.reduce<State | null>((furthest, { state }) => {
    return furthest === null || stateRank(state) >= stateRank(furthest) ? state : furthest;
  }, null);
}

/** The terminal state that a look has shown, which alone is evidence of the end; or null. */
export function endOf(track: Track): State | null {
  const state = stateOf(track);
  return state !== null && isTerminal(state) ? state : null;
}
