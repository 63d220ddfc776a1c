/** The state machine of one job: from observations to what is known of its transitions. Pure. */

import type { EndState, State } from "../states.ts";
import { isTerminal, stateRank } from "../states.ts";
import type { Notice, Observation, Poll, Stamps } from "./observation.ts";
import { NO_STAMPS } from "./observation.ts";

/** Observations between two gaps, of one clock: times of two eras can't be compared. */
interface OfEra {
  readonly era: number;
}

/**
 * What was seen of a job. It grows with each observation that says something new; a poll that says
 * what the two before it said takes the later one's place within it.
 */
export interface Track {
  /** Polls that showed the job no earlier than the polls before them, in order of sending. */
  readonly polls: readonly (Poll & OfEra)[];
  /** The first delivery that named a terminal state. */
  readonly delivery: (Notice & OfEra) | null;
  /** The latest stated times. */
  readonly stamps: Stamps;
  /** True when a start was stated of a job that was not yet running: then it means another. */
  readonly startsEarly: boolean;
  /** How many gaps there were, and when the last one ended. */
  readonly era: number;
  readonly sinceMs: number;
  /** Answers that showed an earlier state than one seen before: a matter for the judges. */
  readonly regressions: number;
}

export const NEW_TRACK: Track = {
  polls: [],
  delivery: null,
  stamps: NO_STAMPS,
  startsEarly: false,
  era: 0,
  sinceMs: Number.NEGATIVE_INFINITY,
  regressions: 0,
};

export function observe(track: Track, observation: Observation): Track {
  if (observation.kind === "gap") {
    return { ...track, era: track.era + 1, sinceMs: observation.atMs };
  }
  const { era } = track;
  if (observation.kind === "delivery") return observeDelivery(track, { ...observation, era });
  if (renewsLast(track, observation)) return track;
  const seen = { ...observation, era, sentAtMs: sentAtMs(track, observation) };
  const contradicted = track.polls.some(
    (before) => isBefore(before, seen) && stateRank(before.state) > stateRank(seen.state),
  );
  if (contradicted) return { ...track, regressions: track.regressions + 1 };
  const polls = [...track.polls, seen].sort((a, b) => a.era - b.era || a.sentAtMs - b.sentAtMs);
  const isEarly = stateRank(seen.state) < stateRank("running") && seen.stamps.started !== null;
  const startsEarly = track.startsEarly || isEarly;
  return { ...track, stamps: mergedStamps(track.stamps, seen.stamps), startsEarly, polls };
}

/**
 * Of polls that show one state in a row the first and the last bound it; others add nothing. The
 * last is brought up to date in place: of thousands of jobs that wait, each poll would otherwise
 * leave another track to the garbage collector, just old enough to be moved about.
 */
function renewsLast({ polls, era, sinceMs, stamps }: Track, poll: Poll): boolean {
  const [before, last] = [polls.at(-2), polls.at(-1)];
  const isRepeat = (each: (Poll & OfEra) | undefined) =>
    each?.state === poll.state && each.era === era && each.receivedAtMs <= poll.sentAtMs;
  if (last === undefined || !isRepeat(before) || !isRepeat(last)) return false;
  const isStated = mergedStamps(stamps, poll.stamps) === stamps;
  if (!isStated || before?.kind !== last.kind || poll.sentAtMs < sinceMs) return false;
  if (polls.some(({ state }) => stateRank(state) > stateRank(poll.state))) return false;
  last.sentAtMs = poll.sentAtMs;
  last.receivedAtMs = poll.receivedAtMs;
  return true;
}

/** When a request was sent before a gap, nobody can tell on the clock of after it. */
function sentAtMs({ sinceMs }: Track, poll: Poll): number {
  return poll.sentAtMs < sinceMs ? Number.NEGATIVE_INFINITY : poll.sentAtMs;
}

/** Answers that overlap can arrive in any order, and say nothing of what came first. */
function isBefore(a: Poll & OfEra, b: Poll & OfEra): boolean {
  return a.era === b.era ? a.receivedAtMs <= b.sentAtMs : a.era < b.era;
}

function observeDelivery(track: Track, delivery: Notice & OfEra): Track {
  const stamps = mergedStamps(track.stamps, delivery.stamps);
  const isFirst = track.delivery === null && isTerminal(delivery.state);
  return { ...track, stamps, delivery: isFirst ? delivery : track.delivery };
}

/** A time once stated is kept: it is final, or one of two witnesses is wrong. */
function mergedStamps(known: Stamps, told: Stamps): Stamps {
  const created = known.created ?? told.created;
  const started = told.started ?? known.started;
  const finished = told.finished ?? known.finished;
  const isNews =
    created !== known.created || started !== known.started || finished !== known.finished;
  return isNews ? { created, started, finished } : known;
}

/** Whether the probe was away at some time, or its clock was set. */
export function hasGap(track: Track): boolean {
  return track.era > 0;
}

/** The furthest state that a poll has shown; null before the first. */
export function stateOf(track: Track): State | null {
  return track.polls.reduce<State | null>((furthest, { state }) => {
    return furthest === null || stateRank(state) >= stateRank(furthest) ? state : furthest;
  }, null);
}

/** The terminal state that a poll has shown, which alone is evidence of the end; or null. */
export function endOf(track: Track): EndState | null {
  const state = stateOf(track);
  return isTerminal(state) ? state : null;
}
