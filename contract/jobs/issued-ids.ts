/**
 * Identifiers that a shard of a load was issued: a sample that is the same whoever draws it, so
 * that one that two shards were issued shows when what they saw is merged, and one that another
 * scenario was issued as well.
 */

import { fingerprint } from "../text/fingerprint.ts";

export interface IssuedIds {
  /** One identifier in so many is of the sample, by its hash; a power of two. */
  oneIn: number;
  /** When each of them was issued, in ms since the epoch. */
  atMs: Readonly<Record<string, number>>;
  /** The name of the key that each was issued to. Left out: not recorded. */
  keys?: Readonly<Record<string, string>>;
  /** Those that several shards were issued, with the earliest times. */
  again: Readonly<Record<string, readonly number[]>>;
  /** The first of those that one shard was issued twice. Left out: none, or not recorded. */
  twice?: readonly string[];
}

/** As a shard draws it. */
export interface IdSample {
  oneIn: number;
  readonly atMs: Map<string, number>;
  readonly keys: Map<string, string>;
  readonly twice: Set<string>;
}

/** Ours: a hundred kilobytes; where one in fifty is issued twice, forty of them are in it. */
const SAMPLE_MAX = 2_000;
/** Ours: more tell no more. */
const TIMES_MAX = 5;
/** Ours: whose jobs these are is asked only of those that a finding names. */
const TWICE_MAX = 200;

export function newIdSample(): IdSample {
  return { oneIn: 1, atMs: new Map(), keys: new Map(), twice: new Set() };
}

export function noteIssued(sample: IdSample, id: string, atMs: number, key: string): void {
  if (!isSampled(id, sample.oneIn)) return;
  sample.atMs.set(id, atMs);
  sample.keys.set(id, key);
  while (sample.atMs.size > SAMPLE_MAX) {
    sample.oneIn *= 2;
    for (const each of sample.atMs.keys()) {
      if (isSampled(each, sample.oneIn)) continue;
      sample.atMs.delete(each);
      sample.keys.delete(each);
    }
  }
}

/** One that another submission of the shard had been issued. */
export function noteTwice({ twice }: IdSample, id: string): void {
  if (twice.size < TWICE_MAX) twice.add(id);
}

export function issuedIn({ oneIn, atMs, keys, twice }: IdSample): IssuedIds {
  const issued = { oneIn, atMs: Object.fromEntries(atMs), keys: Object.fromEntries(keys) };
  return { ...issued, again: {}, ...withTwice([...twice]) };
}

function withTwice(twice: readonly string[]): Pick<IssuedIds, "twice"> {
  return twice.length === 0 ? {} : { twice: [...new Set(twice)].sort().slice(0, TWICE_MAX) };
}

/** Of two shards; the same in any order and grouping. */
export function mergeIssued(a: IssuedIds, b: IssuedIds): IssuedIds {
  const oneIn = Math.max(a.oneIn, b.oneIn);
  const atMs: Record<string, number> = {};
  const keys: Record<string, string> = {};
  const again: Record<string, readonly number[]> = {};
  const ids = new Set([...Object.keys(a.atMs), ...Object.keys(b.atMs)]);
  for (const id of ids) {
    if (!isSampled(id, oneIn)) continue;
    const issuedMs = [a.atMs[id], b.atMs[id]].filter((ms) => ms !== undefined);
    const known = [...(a.again[id] ?? []), ...(b.again[id] ?? [])];
    atMs[id] = Math.min(...issuedMs);
    const [key] = [a.keys?.[id], b.keys?.[id]].filter((name) => name !== undefined).sort();
    if (key !== undefined) keys[id] = key;
    if (issuedMs.length + known.length < 2) continue;
    const times = [...new Set([...issuedMs, ...known])];
    again[id] = times.sort((x, y) => x - y).slice(0, TIMES_MAX);
  }
  return { oneIn, atMs, keys, again, ...withTwice([...(a.twice ?? []), ...(b.twice ?? [])]) };
}

function isSampled(id: string, oneIn: number): boolean {
  return oneIn === 1 || Number.parseInt(fingerprint(id), 16) % oneIn === 0;
}
