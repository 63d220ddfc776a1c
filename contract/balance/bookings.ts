/**
 * How far apart charges are booked: one by one, or many together every so often, each account at a
 * moment of its own. Looks at its amounts while jobs end all along tell it. Spec §2.10
 */

import { medianOf } from "../numbers/figures.ts";
import { movedBy, shownStep } from "./changes.ts";
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

/** Ours: what is booked together mostly stands still for so many looks. */
const APART_LOOKS = 3;
/** Ours: and moves by more than the one step in which it is shown, which no sum hits exactly. */
const STEPS_MIN = 1.5;

/** Ours: what moves no more often than once for so many jobs moves by charges of several. */
const JOBS_PER_MOVE = 2;

/**
 * Whether an amount moved by several charges at once, as far as looks at it tell: one that is shown
 * in coarse steps stands still between them, and so does any where jobs seldom end.
 */
export function isBookedTogether(all: readonly Look[], path: string, jobs: number): boolean {
  const rests = restsOf(all, path);
  const step = Math.min(...rests.map((rest) => rest.step));
  return (
    medianOf(rests.map(({ looks }) => looks)) >= APART_LOOKS &&
    medianOf(rests.map(({ movedBy }) => movedBy)) > STEPS_MIN * step &&
    JOBS_PER_MOVE * (rests.length + 1) <= jobs
  );
}

/** From one move to the next, while jobs end. */
function restsOf(all: readonly Look[], path: string): readonly Rest[] {
  const looks = all.flatMap((look, at) => (path in look.amounts ? [{ ...look, at }] : []));
  const moves = looks.filter(({ amounts }, at) => {
    return at > 0 && amounts[path] !== looks[at - 1]?.amounts[path];
  });
  return moves.slice(1).flatMap(({ at, atMs, amounts }, index) => {
    const last = moves[index];
    if (last === undefined || !last.isSteady) return [];
    const ms = (atMs ?? Number.NaN) - (last.atMs ?? Number.NaN);
    const change = { before: last.amounts, after: amounts };
    const [step, by] = [shownStep(path, change), Math.abs(movedBy(path, change))];
    return [{ looks: at - last.at, ms: Number.isNaN(ms) ? null : ms, step, movedBy: by }];
  });
}

interface Rest {
  looks: number;
  /** null: a look has no time. */
  ms: number | null;
  /** In which the amount is shown. */
  step: number;
  /** From one move to the next, either way. */
  movedBy: number;
}

/** Of whichever amount of any of the accounts stood still for longest. */
export function bookedEveryMsIn(accounts: Iterable<readonly Look[]>): number | null {
  const known = [...accounts].flatMap((looks) => {
    const paths = new Set(looks.flatMap(({ amounts }) => Object.keys(amounts)));
    return [...paths].flatMap((path) => bookedEveryMs(looks, path) ?? []);
  });
  return known.length === 0 ? null : Math.max(...known);
}
