/** Collects what contradicts a promise in a soak: all are counted, some are kept to be quoted. */

import type { Exchange } from "../../exchange.ts";
import type { Seen } from "../../judging/claim.ts";
import { alike } from "../../judging/claim.ts";
import { asQuoted } from "../../verdict.ts";

/** One observation that contradicts a promise, in words and with the exchanges that show it. */
export interface Offence {
  what: string;
  exchanges: readonly Exchange[];
}

export interface Offences {
  count: number;
  /** Of the earliest requests, in their order. */
  kept: readonly Offence[];
}

/** Ours: a report that lists more is not read any further, and a day's soak stays in memory. */
const OFFENCES_KEPT_MAX = 50;

export function noOffences(): Offences {
  return { count: 0, kept: [] };
}

export function addOffence(offences: Offences, offence: Offence): void {
  offences.count += 1;
  const exchanges = offence.exchanges.map(asQuoted);
  offences.kept = earliest([...offences.kept, { ...offence, exchanges }]);
}

/** The same in any order and grouping. */
export function mergeOffences(a: Offences, b: Offences): Offences {
  return { count: a.count + b.count, kept: earliest([...a.kept, ...b.kept]) };
}

function earliest(offences: readonly Offence[]): readonly Offence[] {
  return [...offences].sort(byTime).slice(0, OFFENCES_KEPT_MAX);
}

function byTime(a: Offence, b: Offence): number {
  const ms = (a.exchanges[0]?.sentAtMs ?? 0) - (b.exchanges[0]?.sentAtMs ?? 0);
  return ms === 0 ? compare(a.what, b.what) || compare(textOf(a), textOf(b)) : ms;
}

function textOf({ exchanges }: Offence): string {
  return JSON.stringify(exchanges);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Takes one back that was none after all. */
export function withdrawOffence(offences: Offences, what: string): void {
  offences.count -= 1;
  offences.kept = offences.kept.filter((each) => each.what !== what);
}

/** As faults of a claim: those that are kept tell of themselves, the others count. */
export function faultsOf({ count, kept }: Offences): readonly Seen[] {
  return [...kept, ...alike(count - kept.length, "and another")];
}
