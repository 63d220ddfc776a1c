/** From a job's track to its transitions, each between two bounds, with the witness of both. */

import type { State } from "../states.ts";
import { isTerminal, stateRank } from "../states.ts";
import type { Offset } from "./clock-offset.ts";
import { elapsed, placed } from "./clock-offset.ts";
import type { Interval } from "./interval.ts";
import { difference, intersection } from "./interval.ts";
import type { Poll } from "./observation.ts";
import type { Track } from "./track.ts";
import { stateOf } from "./track.ts";

export const SOURCES = ["server", "poll", "webhook"] as const;
export type Source = (typeof SOURCES)[number];

/** A job's entry into a state, on the probe's clock. */
export interface Entry {
  state: State;
  /** From minus infinity where the last poll before it was made with another clock. */
  at: Interval;
  source: Source;
  /** The stated time, on the service's clock, where it agrees with what was seen. */
  stated: Interval | null;
  /** Gaps before the poll that showed it: its bounds are on the clock of that time. */
  era: number;
}

/** A change of state, and how long the job had been in the state before. */
export interface Transition {
  from: State;
  to: State;
  at: Interval;
  stay: Interval;
  source: Source;
  /** True when the probe was away meanwhile: no figure of the service's. */
  acrossGap: boolean;
}

/**
 * The transitions known so far. Without an offset stated times can't be placed, only compared. By
 * `lagMs` a poll may have shown what was no longer so; see view-lag.ts.
 */
export function transitionsOf(
  track: Track,
  offset: Offset | null,
  lagMs = 0,
): readonly Transition[] {
  const entries = entriesOf(track, offset, lagMs);
  return entries.slice(1).map((entry, index) => transition(entries[index] as Entry, entry));
}

function transition(before: Entry, after: Entry): Transition {
  const { at, source } = after;
  const stay = stayOf(before, after);
  // A state that was entered before a gap, and left after it, began at nobody knows what time.
  const isOpen = stay === null || ![at.lowMs, stay.highMs].every(Number.isFinite);
  return {
    from: before.state,
    to: after.state,
    at: { ...at, lowMs: Math.max(at.lowMs, Number.MIN_SAFE_INTEGER) },
    stay: {
      lowMs: stay?.lowMs ?? 0,
      highMs: Math.min(stay?.highMs ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    },
    source,
    acrossGap: isOpen,
  };
}

/** Between two stated times lies what they say; otherwise what the bounds leave; null: nothing. */
function stayOf(before: Entry, after: Entry): Interval | null {
  const isOneClock = before.era === after.era && Number.isFinite(after.at.lowMs);
  const seen = isOneClock ? difference(after.at, before.at) : null;
  if (before.stated === null || after.stated === null) return seen;
  const stated = elapsed(after.stated, before.stated);
  return seen === null ? stated : (intersection(seen, stated) ?? seen);
}

export function entriesOf(track: Track, offset: Offset | null, lagMs = 0): readonly Entry[] {
  const entries: Entry[] = [];
  for (const state of knownStates(track)) {
    const entry = entryInto(state, track, offset, lagMs);
    const before = entries.at(-1);
    entries.push(before === undefined ? entry : notBefore(entry, before));
  }
  return entries;
}

/** States are entered in order, so that a later entry can't lie before an earlier one's bound. */
function notBefore(entry: Entry, before: Entry): Entry {
  if (entry.era !== before.era) return entry;
  const lowMs = Math.max(entry.at.lowMs, before.at.lowMs);
  return { ...entry, at: { lowMs, highMs: Math.max(lowMs, entry.at.highMs) } };
}

/** States that were seen, or whose beginning the service states; in the listed order. */
function knownStates(track: Track): readonly State[] {
  const last = stateOf(track);
  if (last === null) return [];
  const seen = new Set<State>(track.polls.map(({ state }) => state));
  if (statedEntry("running", track) !== null && stateRank(last) >= stateRank("running")) {
    seen.add("running");
  }
  return [...seen]
    .filter((state) => !isTerminal(state) || state === last)
    .sort((a, b) => stateRank(a) - stateRank(b));
}

interface Seen {
  at: Interval;
  source: Source;
  era: number;
}

function entryInto(state: State, track: Track, offset: Offset | null, lagMs: number): Entry {
  const seen = seenEntry(state, track, lagMs);
  const told = isTerminal(state) ? withDelivery(state, seen, track, offset) : seen;
  const stated = statedEntry(state, track);
  if (stated === null) return { state, ...told, stated: null };
  // The offset is of the clock of now; what was seen with an earlier one stays where it is.
  if (offset === null || told.era !== track.era) return { state, ...told, stated };
  const agreed = intersection(told.at, placed(stated, offset));
  if (agreed === null) return { state, ...told, stated: null };
  return { state, ...told, at: agreed, source: "server", stated };
}

/** After the last poll of an earlier state was sent, by the receipt of the first one since. */
function seenEntry(state: State, { polls }: Track, lagMs: number): Seen {
  const rank = stateRank(state);
  const since = polls.filter((poll) => stateRank(poll.state) >= rank);
  const era = since[0]?.era ?? 0;
  const ofEra = polls.filter((poll) => poll.era === era);
  const highs = ofEra.filter((poll) => stateRank(poll.state) >= rank);
  const highMs = Math.min(...highs.map(({ receivedAtMs }) => receivedAtMs));
  // Before its submission was sent the job was in no state at all.
  const lows = ofEra.filter(({ kind, state: shown }) => {
    return kind === "accepted" || stateRank(shown) < rank;
  });
  const sinceMs = ({ kind, sentAtMs }: Poll) => (kind === "accepted" ? sentAtMs : sentAtMs - lagMs);
  const lowMs = Math.max(Number.NEGATIVE_INFINITY, ...lows.map(sinceMs));
  return { at: { lowMs: Math.min(highMs, lowMs), highMs }, source: "poll", era };
}

/** The end came before the webhook did, and before the service says that the event fired. */
function withDelivery(state: State, seen: Seen, track: Track, offset: Offset | null): Seen {
  const { delivery, era } = track;
  if (delivery === null || delivery.state !== state || delivery.era !== seen.era) return seen;
  const { arrivedAtMs, fired } = delivery;
  if (arrivedAtMs < seen.at.lowMs) return seen;
  const firedMs =
    fired === null || offset === null || era !== seen.era
      ? arrivedAtMs
      : placed(fired, offset).highMs;
  const highMs = firedMs < seen.at.lowMs ? arrivedAtMs : Math.min(arrivedAtMs, firedMs);
  return highMs < seen.at.highMs
    ? { ...seen, at: { ...seen.at, highMs }, source: "webhook" }
    : seen;
}

function statedEntry(state: State, { stamps, startsEarly }: Track): Interval | null {
  if (isTerminal(state)) return stamps.finished;
  if (state === "running") return startsEarly ? null : stamps.started;
  return state === "queued" ? stamps.created : null;
}
