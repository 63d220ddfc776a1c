/** A comparison as it grows: rounds come in, and looks tell what can be said of them. */

import { seededUniform } from "../../contract/numbers/random.ts";
import type { MeanSpread } from "../statistics/interval.ts";
import { spreadOf, VALUES_MIN } from "../statistics/interval.ts";
import type { Judged, MetricInput } from "./decision.ts";
import { Decision, looksOf } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import { METRIC_NAMES, marginAt } from "./metrics.ts";
import type { Block, Side } from "./round.ts";
import { differenceOf, levelOf } from "./round.ts";

export interface ComparisonOptions {
  roundsMax: number;
  margins: Margins;
  seed: number;
}

export class Comparison {
  readonly rounds: (readonly Block[])[] = [];
  /** At the last look. */
  judged: readonly Judged<MetricName>[] = [];
  readonly #looks: readonly number[];
  readonly #margins: Margins;
  readonly #decision: Decision<MetricName>;
  readonly #random: () => number;
  #looked = 0;

  constructor({ roundsMax, margins, seed }: ComparisonOptions) {
    this.#looks = looksOf(roundsMax);
    this.#margins = margins;
    this.#decision = new Decision(this.#looks);
    this.#random = seededUniform(seed);
  }

  /** Takes a round in; looks at all of them when it is time to. */
  add(round: readonly Block[]): void {
    this.rounds.push(round);
    if (this.rounds.length < (this.#looks[this.#looked] ?? Number.POSITIVE_INFINITY)) return;
    this.judged = this.#decision.look(this.#looked, this.#inputs());
    this.#looked += 1;
  }

  /** True when all looks have been taken. */
  get isFull(): boolean {
    return this.#looked >= this.#looks.length;
  }

  /** True when further rounds can change nothing that matters. */
  get isSettled(): boolean {
    const claims = this.judged.map(({ claim }) => claim);
    const isDecided = claims.length > 0 && claims.every((claim) => claim !== null);
    return this.isFull || isDecided || claims.includes("worse");
  }

  #inputs(): MetricInput<MetricName>[] {
    return METRIC_NAMES.flatMap((name) => {
      const spread = spreadIn(this.rounds, name, this.#random);
      const margin = marginAt(this.#margins, name, levelOf(this.rounds.flat(), "base", name));
      return spread === null ? [] : [{ name, spread, margin }];
    });
  }
}

/** null where fewer than half of the rounds have the figure. */
function spreadIn(
  rounds: readonly (readonly Block[])[],
  name: MetricName,
  random: () => number,
): MeanSpread | null {
  const values = rounds.map((round) => differenceOf(round, name)).filter((each) => each !== null);
  if (values.length < Math.max(VALUES_MIN, rounds.length / 2)) return null;
  return spreadOf(values, random, name === "errors" ? errorShareError(rounds.flat()) : 0);
}

/**
 * What failures that are all alike hide: the standard error of a difference of shares, with one
 * failure and one success added to each side. Agresti & Caffo, The American Statistician 54 (2000).
 */
function errorShareError(blocks: readonly Block[]): number {
  const varianceOf = (side: Side) => {
    const own = blocks.filter((block) => block.side === side);
    const attempts = own.reduce((sum, block) => sum + block.attempts, 0) + 2;
    const share = (own.reduce((sum, block) => sum + block.failures, 0) + 1) / attempts;
    return (share * (1 - share)) / attempts;
  };
  return Math.sqrt(varianceOf("base") + varianceOf("candidate"));
}
