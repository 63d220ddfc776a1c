/** Rounds of four blocks, two of each side: the unit of which everything is judged. */

import { meanOf } from "../statistics/moments.ts";
import type { Figures, MetricName } from "./metrics.ts";
import { badness } from "./metrics.ts";

/** Two of each side. */
export const BLOCKS_A_ROUND = 4;

export type Side = "base" | "candidate";

/** What one block of load on one side left. */
export interface Block {
  side: Side;
  figures: Figures;
  /** Jobs and requests that could have failed, and those that did. */
  attempts: number;
  failures: number;
}

/**
 * The sides in their order, ABBA or BAAB by lot. The order cancels a drift that is the same for
 * both; the lot keeps any other pattern of the environment from favouring one side.
 */
export function orderByLot(random: () => number): readonly Side[] {
  const first = random() < 0.5 ? "base" : "candidate";
  const second = first === "base" ? "candidate" : "base";
  return [first, second, second, first];
}

/** By how much the candidate is worse in this round, as a logarithm; null without figures. */
export function differenceOf(round: readonly Block[], metric: MetricName): number | null {
  const base = sideOf(round, "base", metric);
  const candidate = sideOf(round, "candidate", metric);
  return base === null || candidate === null ? null : candidate - base;
}

function sideOf(round: readonly Block[], side: Side, metric: MetricName): number | null {
  const values = figuresOf(round, side, metric);
  return values.length === 0 ? null : meanOf(values.map((value) => badness(metric, value)));
}

/** Geometric mean of a figure over the blocks of a side; of shares and zeros the mean. */
export function levelOf(blocks: readonly Block[], side: Side, metric: MetricName): number | null {
  const values = figuresOf(blocks, side, metric);
  if (values.length === 0) return null;
  if (metric === "errors" || values.some((value) => value <= 0)) return meanOf(values);
  return Math.exp(meanOf(values.map(Math.log)));
}

function figuresOf(blocks: readonly Block[], side: Side, metric: MetricName): readonly number[] {
  return blocks.flatMap((block) => (block.side === side ? (block.figures[metric] ?? []) : []));
}
