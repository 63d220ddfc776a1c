/**
 * How a value that a load tallies begins, and how two that several generators saw become one. Each
 * rule is associative and takes its two sides in any order, and sums are of whole numbers: any
 * number of shares in any order give the same.
 */

import type { Histogram } from "../../numbers/histogram.ts";
import { mergeHistograms, newHistogram } from "../../numbers/histogram.ts";
import type { Violations } from "./violations.ts";
import { mergeViolations, noViolations } from "./violations.ts";

export interface Kind<Value> {
  empty: () => Value;
  merge: (a: Value, b: Value) => Value;
}

/** The type of the values of a kind. */
export type Of<Some> = Some extends Kind<infer Value> ? Value : never;

export const SUM: Kind<number> = { empty: () => 0, merge: (a, b) => a + b };
export const MOST: Kind<number> = { empty: () => 0, merge: Math.max };
export const VIOLATIONS: Kind<Violations> = { empty: noViolations, merge: mergeViolations };
export const HISTOGRAM: Kind<Histogram> = {
  empty: newHistogram,
  merge: (a, b) => mergeHistograms([a, b]),
};

export function fields<Value extends object>(
  kinds: {
    readonly [Name in keyof Value]: Kind<Value[Name]>;
  },
): Kind<Value> {
  const names = Object.keys(kinds) as (keyof Value)[];
  const each = (of: (name: keyof Value) => unknown) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Value;
  return {
    empty: () => each((name) => kinds[name].empty()),
    merge: (a, b) =>
      each((name) => {
        // Evidence of an earlier version lacks what was not counted then.
        if (a[name] === undefined || b[name] === undefined) return a[name] ?? b[name];
        return kinds[name].merge(a[name], b[name]);
      }),
  };
}

/** By name; what only one side has stays as it is. */
export function named<Value>(kind: Kind<Value>): Kind<Record<string, Value>> {
  return { empty: () => ({}), merge: (a, b) => mergeNamed(a, b, kind.merge) };
}

export function mergeNamed<Value>(
  a: Readonly<Record<string, Value>>,
  b: Readonly<Record<string, Value>>,
  merge: (a: Value, b: Value) => Value,
): Record<string, Value> {
  const merged = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const own = merged[name];
    merged[name] = own === undefined ? value : merge(own, value);
  }
  return merged;
}
