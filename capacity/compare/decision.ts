/**
 * Decides, as blocks come in, which metrics are better, worse or the same within their margins.
 * Whatever the number of metrics and looks, a wrong claim is as rare as `alpha` says: Holm's
 * procedure over metrics, alpha spending over looks, after Ye, Li, Liu & Yao, "A group sequential
 * Holm procedure with multiple primary endpoints", Statistics in Medicine 32 (2013).
 */

import type { ConfidenceInterval, MeanSpread } from "../statistics/interval.ts";
import { intervalOf } from "../statistics/interval.ts";
import { nominalLevels } from "../statistics/spending.ts";

export type Claim = "better" | "worse" | "same";

/** Ours: as usual; of twenty comparisons one may make a claim that is not true. */
export const ALPHA = 0.05;

/**
 * Ours: looks at these shares of the most blocks; the first ones end the clear cases, and further
 * ones would cost more than they save.
 */
const LOOK_SHARES = [0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];
/** Ours: of fewer rounds of four blocks the spread itself is not known. */
export const ROUNDS_MIN = 8;

/** Numbers of rounds after which a comparison of at most `roundsMax` looks at its data. */
export function looksOf(roundsMax: number): number[] {
  const counts = LOOK_SHARES.map((share) => Math.round(share * roundsMax));
  return [...new Set(counts.map((count) => Math.max(Math.min(ROUNDS_MIN, roundsMax), count)))];
}

export interface Judged<Name extends string> {
  name: Name;
  claim: Claim | null;
  /** Of the difference, at the level of the look that decided, or of the last one. */
  interval: ConfidenceInterval;
  mean: number;
  margin: number;
  /** Rounds that were there at that look. */
  rounds: number;
}

export interface MetricInput<Name extends string> {
  name: Name;
  spread: MeanSpread;
  /** Differences up to this one do not matter; above 0. */
  margin: number;
}

/** One comparison's memory from look to look. */
export class Decision<Name extends string> {
  readonly #looks: readonly number[];
  readonly #decided = new Map<Name, Judged<Name>>();

  constructor(looks: readonly number[]) {
    this.#looks = looks;
  }

  /**
   * The state after that look, counted from 0, for the metrics that can be judged. A claim stays;
   * each one frees its share of the error for the metrics that are left.
   */
  look(at: number, inputs: readonly MetricInput<Name>[]): Judged<Name>[] {
    const rounds = this.#looks[at] ?? 0;
    for (;;) {
      const open = inputs.filter(({ name }) => !this.#decided.has(name));
      const level = levelsFor(this.#looks, open.length)[at] ?? 0;
      const judged = open.map((input) => judge(input, level, rounds));
      const claimed = judged.filter(({ claim }) => claim !== null);
      for (const each of claimed) this.#decided.set(each.name, each);
      if (claimed.length > 0 && claimed.length < open.length) continue;
      const left = new Map(judged.map((each) => [each.name, each]));
      return inputs.flatMap(({ name }) => this.#decided.get(name) ?? left.get(name) ?? []);
    }
  }
}

/** Levels take a tenth of a second to integrate, and comparisons of one plan share them. */
const KNOWN_LEVELS = new Map<string, readonly number[]>();

function levelsFor(looks: readonly number[], open: number): readonly number[] {
  const key = `${open} of ${looks.join()}`;
  const known = KNOWN_LEVELS.get(key);
  if (known !== undefined) return known;
  const last = looks.at(-1) ?? 1;
  const levels = nominalLevels(
    ALPHA / Math.max(1, open),
    looks.map((rounds) => rounds / last),
  );
  KNOWN_LEVELS.set(key, levels);
  return levels;
}

function judge<Name extends string>(
  { name, spread, margin }: MetricInput<Name>,
  level: number,
  rounds: number,
): Judged<Name> {
  const interval = intervalOf(spread, level);
  const claim = claimOf(interval, margin);
  return { name, claim, interval, mean: spread.mean, margin, rounds };
}

/** What an interval of the difference says, where more is worse. */
export function claimOf({ low, high }: ConfidenceInterval, margin: number): Claim | null {
  if (low > margin) return "worse";
  if (high < -margin) return "better";
  return low > -margin && high < margin ? "same" : null;
}
