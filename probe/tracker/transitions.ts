/** From a job's track to its transitions, each between two bounds, with the witness of both. */

import type { State } from "../../contract/states.ts";
import { isTerminal, stateRank } from "../../contract/states.ts";
import type { Interval } from "./interval.ts";
import { difference, intersection, shifted } from "./interval.ts";
import type { Look } from "./observation.ts";
import type { Track } from "./tracker.ts";
import { stateOf } from "./tracker.ts";

export const SOURCES = ["server", "poll", "webhook"] as const;
export type Source = (typeof SOURCES)[number];

/** A job's entry into a state, on the probe's clock. */
export interface Entry {
  state: State;
  at: Interval;
  source: Source;
  /** The stated time, on the service's clock, where it agrees with what was seen. */
  stated: Interval | null;
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

/** The transitions known so far. Without an offset stated times can't be placed, only compared. */
export function transitionsOf(track: Track, offset: Interval | null): readonly Transition[] {
  const entries = entriesOf(track, offset);
  return entries.slice(1).map((entry, index) => {
    const before = entries[index] as Entry;
    return {
      from: before.state,
      to: entry.state,
      at: entry.at,
      stay: stayOf(before, entry),
      source: entry.source,
      acrossGap: track.hasGap && entry.source !== "server",
    };
  });
}

/** Between two stated times lies what they say; otherwise what the bounds leave. */
function stayOf(before: Entry, after: Entry): Interval {
  const seen = difference(after.at, before.at);
  if (before.stated === null || after.stated === null) return seen;
  const stated = difference(after.stated, before.stated);
  return intersection(seen, stated) ?? seen;
}

export function entriesOf(track: Track, offset: Interval | null): readonly Entry[] {
  const entries: Entry[] = [];
  for (const state of knownStates(track)) {
    const entry = entryInto(state, track, offset);
    const before = entries.at(-1);
    entries.push(before === undefined ? entry : notBefore(entry, before));
  }
  return entries;
}

/** States are entered in order, so that a later entry can't lie before an earlier one's bound. */
function notBefore(entry: Entry, before: Entry): Entry {
  const lowMs = Math.max(entry.at.lowMs, before.at.lowMs);
  return { ...entry, at: { lowMs, highMs: Math.max(lowMs, entry.at.highMs) } };
}

/** States that were seen, or whose beginning the service states; in the listed order. */
function knownStates(track: Track): readonly State[] {
  const last = stateOf(track);
  if (last === null) return [];
  const seen = new Set<State>(track.looks.map(({ state }) => state));
  if (track.stamps.started !== null && stateRank(last) >= stateRank("running")) {
    seen.add("running");
  }
  return [...seen]
    .filter((state) => !isTerminal(state) || state === last)
    .sort((a, b) => stateRank(a) - stateRank(b));
}

function entryInto(state: State, track: Track, offset: Interval | null): Entry {
  const seen = seenEntry(state, track);
  const told = isTerminal(state) ? withDelivery(seen, track) : seen;
  const stated = statedEntry(state, track);
  if (stated === null || offset === null) return { state, ...told, stated: null };
  const agreed = intersection(told.at, shifted(stated, offset));
  if (agreed === null) return { state, ...told, stated: null };
  return { state, at: agreed, source: "server", stated };
}

/** After the sending of the last look at an earlier state, by the receipt of the first since. */
function seenEntry(state: State, track: Track): { at: Interval; source: Source } {
  const rank = stateRank(state);
  const since = track.looks.filter((look) => stateRank(look.state) >= rank);
  const highMs = Math.min(...since.map(({ receivedAtMs }) => receivedAtMs));
  const first = track.looks[0];
  const before = track.looks.filter((look) => stateRank(look.state) < rank);
  const lows = [first, ...before].flatMap((look) => lowOf(look));
  return { at: { lowMs: Math.min(highMs, Math.max(...lows)), highMs }, source: "poll" };
}

function lowOf(look: Look | undefined): number[] {
  return look === undefined ? [] : [look.sentAtMs];
}

function withDelivery(seen: { at: Interval; source: Source }, { delivery }: Track) {
  if (delivery === null || delivery.arrivedAtMs >= seen.at.highMs) return seen;
  if (delivery.arrivedAtMs < seen.at.lowMs) return seen;
  return { at: { ...seen.at, highMs: delivery.arrivedAtMs }, source: "webhook" as const };
}

function statedEntry(state: State, { stamps }: Track): Interval | null {
  if (isTerminal(state)) return stamps.finished;
  if (state === "running") return stamps.started;
  return state === "queued" ? stamps.created : null;
}
