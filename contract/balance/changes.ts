/** By how much amounts of an account changed from one reading to another. Spec §2.10 */

import { decimalsOf } from "../numbers/decimals.ts";
import type { AccountReading, Amounts } from "./read.ts";

/** Ours: sums of decimal prices in binary fractions differ in the last places. */
export const SUM_ERROR = 1e-6;

/** Ours: what a job's cost, or a balance by it, is off by, as either is shown rounded. */
export const ROUNDED_COST_SHARE = 0.005;

/** What an account showed before something, and after it. */
export interface Change {
  before: Amounts;
  after: Amounts;
}

/** The same, and how long that took. */
export interface Movement extends Change {
  /** The time in between. */
  seconds: number;
}

export function movementOf(before: AccountReading, after: AccountReading): Movement {
  const seconds = (after.readAtMs - before.readAtMs) / 1_000;
  return { before: before.amounts, after: after.amounts, seconds };
}

/** By how much an amount fell; 0 where it did not, or was not read on both sides. */
export function fallOf(path: string, { before, after }: Change): number {
  const fall = (before[path] ?? Number.NaN) - (after[path] ?? Number.NaN);
  return fall > SUM_ERROR ? fall : 0;
}

/** By how much each amount fell; those that did not fall are left out. */
export function fallsBetween(before: Amounts, after: Amounts): Amounts {
  const paths = Object.keys(before).filter((path) => fallOf(path, { before, after }) > 0);
  return Object.fromEntries(paths.map((path) => [path, fallOf(path, { before, after })]));
}

/** By how much an amount fell, or below zero rose; one that was not read counts as 0. */
export function movedBy(path: string, { before, after }: Change): number {
  return (before[path] ?? 0) - (after[path] ?? 0);
}

/** Paths whose amounts differ, or stand on one side only. */
export function pathsMoved({ before, after }: Change): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]);
}

/** The step in which an amount is shown, by the decimals of its readings. */
export function shownStep(path: string, { before, after }: Change): number {
  return 10 ** -Math.max(decimalsOf(before[path]), decimalsOf(after[path]));
}

export function sameAmount(a: number, b: number): boolean {
  return Math.abs(a - b) <= SUM_ERROR * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Whether a fall is what jobs cost, but for what costs are rounded by. */
export function isAbout(fall: number, cost: number): boolean {
  return Math.abs(fall - cost) <= Math.max(SUM_ERROR, ROUNDED_COST_SHARE * cost);
}
