/** What an amount may be, or can't be, by how it moves. Spec §2.10 */

import type { Change, Movement } from "./changes.ts";
import { fallOf, movedBy, SUM_ERROR, sameAmount } from "./changes.ts";

/**
 * Whether there was quiet, and an amount was seen not to fall in it: what it fell by else has a
 * cause.
 */
export function isStill(path: string, quiet: readonly Change[]): boolean {
  const isStillIn = (change: Change) =>
    path in change.before && path in change.after && fallOf(path, change) === 0;
  return quiet.length > 0 && quiet.every(isStillIn);
}

/** Ours: balances are kept in whole hundredths, thousandths or millionths to be exact. */
export const SMALL_UNITS = [100, 1_000, 1_000_000];
/** Ours: costs may be rounded for display. */
const UNIT_TOLERANCE_SHARE = 0.001;

export function isSmallUnit(ratio: number, tolerance = UNIT_TOLERANCE_SHARE): boolean {
  return SMALL_UNITS.some((unit) => Math.abs(ratio / unit - 1) <= tolerance);
}

/** Whether a job of that cost took as much from an amount as it does from a balance. */
export function isCharge(fall: number, cost: number): boolean {
  return sameAmount(fall, cost) || isSmallUnit(fall / cost);
}

/** Whether an amount fell in each quiet span: requests that are left count down with each one. */
export function fallsByItself(path: string, quiet: readonly Change[]): boolean {
  return quiet.length > 0 && quiet.every((change) => fallOf(path, change) > 0);
}

/**
 * Whether an amount counts something else than money: whole numbers, in the quiet as well, of which
 * a job that cost a fraction took as many as no balance loses by it. `job`: null where no such job
 * was seen.
 */
export function isCounter(
  path: string,
  quiet: readonly Change[],
  job: { fall: number; cost: number } | null,
): boolean {
  const isWholeIn = (change: Change) => Number.isInteger(fallOf(path, change));
  if (!quiet.every(isWholeIn) || !fallsByItself(path, quiet)) return false;
  if (job === null) return true;
  const isWhole = Number.isInteger(job.fall) && !Number.isInteger(job.cost);
  return isWhole && !isCharge(job.fall, job.cost);
}

/**
 * What falls in the quiet is left aside, where another fell by the cost of a job (`charged`), and
 * is still; else what is a counter by its own numbers.
 */
export function withoutCounters(
  paths: readonly string[],
  quiet: readonly Change[],
  job: { cost: number; fellBy: (path: string) => number; charged: readonly string[] },
): readonly string[] {
  const { cost, fellBy, charged } = job;
  const isOther = (path: string) => !fallsByItself(path, quiet);
  if (charged.some(isOther)) return paths.filter(isOther);
  return paths.filter((path) => !isCounter(path, quiet, { fall: fellBy(path), cost }));
}

/** Ours: how far the readings of a clock may be off, its whole units and the way included. */
const CLOCK_ERROR_SECONDS = 1.5;
/** Clocks among amounts count seconds or milliseconds; coarser ones hardly move during a run. */
const CLOCK_UNITS_PER_SECOND = [1, 1_000];

/** Whether an amount moved in each span by what time did: a countdown is no balance. */
export function isClock(path: string, spans: readonly Movement[]): boolean {
  return CLOCK_UNITS_PER_SECOND.some((units) =>
    spans.every((span) => {
      const moved = Math.abs(movedBy(path, span)) / units;
      return moved > 0 && Math.abs(moved - span.seconds) <= CLOCK_ERROR_SECONDS;
    }),
  );
}

/** Whether an amount moved by the same in each span: a reading may count itself. */
export function isTally(path: string, spans: readonly Change[]): boolean {
  const moved = spans.map((span) => movedBy(path, span));
  const [first = 0] = moved;
  return Math.abs(first) > SUM_ERROR && moved.every((each) => sameAmount(each, first));
}
