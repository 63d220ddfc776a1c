/**
 * How far apart charges are booked: one by one, or many together every so often, each account at a
 * moment of its own. Looks at its amounts while jobs end all along tell it. Spec §2.10
 */

import { medianOf } from "../numbers/figures.ts";
import type { Amounts } from "./read.ts";

/** An account's amounts at one time; none where the look failed. */
export interface Look {
  amounts: Amounts;
  /** In ms of any clock; left out in older evidence. */
  atMs?: number;
  /** Whether jobs end all along: as many as are submitted. */
  isSteady: boolean;
}

/** Ours: what is due is booked some seconds later, and shown later still. In stated time. */
export const SHOWN_LATE_MS = 10_000;

/**
 * The longest that an amount stood still while jobs ended, from one move to the next, in ms; null
 * where it moved less than twice: it may stand still for any time then.
 */
export function bookedEveryMs(all: readonly Look[], path: string): number | null {
  const rests = restsOf(all, path).flatMap(({ ms }) => ms ?? []);
  return rests.length === 0 ? null : Math.max(...rests);
}

/** Ours: an amount that mostly stands still for so many looks moves by what is booked together. */
const APART_LOOKS = 3;

/** Whether an amount moved by several charges at once, as far as looks at it tell. */
export function isBookedTogether(all: readonly Look[], path: string): boolean {
  return medianOf(restsOf(all, path).map(({ looks }) => looks)) >= APART_LOOKS;
}

/** From one move to the next, while jobs end; ms: null where a look has no time. */
function restsOf(all: readonly Look[], path: string): readonly Rest[] {
  const looks = all.flatMap((look, at) => (path in look.amounts ? [{ ...look, at }] : []));
  const moves = looks.filter(({ amounts }, at) => {
    return at > 0 && amounts[path] !== looks[at - 1]?.amounts[path];
  });
  return moves.slice(1).flatMap(({ at, atMs }, index) => {
    const last = moves[index];
    if (last === undefined || !last.isSteady) return [];
    const ms = (atMs ?? Number.NaN) - (last.atMs ?? Number.NaN);
    return [{ looks: at - last.at, ms: Number.isNaN(ms) ? null : ms }];
  });
}

interface Rest {
  looks: number;
  ms: number | null;
}

/** Of whichever amount of any of the accounts stood still for longest. */
export function bookedEveryMsIn(accounts: Iterable<readonly Look[]>): number | null {
  const known = [...accounts].flatMap((looks) => {
    const paths = new Set(looks.flatMap(({ amounts }) => Object.keys(amounts)));
    return [...paths].flatMap((path) => bookedEveryMs(looks, path) ?? []);
  });
  return known.length === 0 ? null : Math.max(...known);
}
