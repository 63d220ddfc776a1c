/** Collects what contradicts a promise in a soak: all are counted, some are kept to be quoted. */

import type { Seen } from "../../judging/claim.ts";
import { alike } from "../../judging/claim.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { asQuoted } from "../../verdict.ts";

/** One observation that contradicts a promise, in words and with the exchanges that show it. */
export interface Violation {
  what: string;
  exchanges: readonly Exchange[];
}

export interface Violations {
  count: number;
  /** Of the earliest requests, in their order. */
  kept: readonly Violation[];
}

/** Ours: a report that lists more is not read any further, and a day's soak stays in memory. */
const VIOLATIONS_KEPT_MAX = 50;

export function noViolations(): Violations {
  return { count: 0, kept: [] };
}

export function addViolation(violations: Violations, violation: Violation): void {
  violations.count += 1;
  const exchanges = violation.exchanges.map(asQuoted);
  violations.kept = earliest([...violations.kept, { ...violation, exchanges }]);
}

/** The same in any order and grouping. */
export function mergeViolations(a: Violations, b: Violations): Violations {
  return { count: a.count + b.count, kept: earliest([...a.kept, ...b.kept]) };
}

function earliest(violations: readonly Violation[]): readonly Violation[] {
  return [...violations].sort(byTime).slice(0, VIOLATIONS_KEPT_MAX);
}

function byTime(a: Violation, b: Violation): number {
  const ms = (a.exchanges[0]?.sentAtMs ?? 0) - (b.exchanges[0]?.sentAtMs ?? 0);
  return ms === 0 ? compare(a.what, b.what) || compare(textOf(a), textOf(b)) : ms;
}

function textOf({ exchanges }: Violation): string {
  return JSON.stringify(exchanges);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Takes one back that was none after all. */
export function withdrawViolation(violations: Violations, what: string): void {
  violations.count -= 1;
  violations.kept = violations.kept.filter((each) => each.what !== what);
}

/** As faults of a claim: those that are kept tell of themselves, the others count. */
export function faultsOf({ count, kept }: Violations): readonly Seen[] {
  return [...kept, ...alike(count - kept.length, "and another")];
}
