/**
 * Compares two sets of blocks that were recorded one after the other. Without alternation, whatever
 * else changed in between counts as a difference; the report says so.
 */

import type { MeanSpread } from "../statistics/interval.ts";
import { spreadOfDifference, VALUES_MIN } from "../statistics/interval.ts";
import { seededUniform } from "../statistics/random.ts";
import type { Judged } from "./decision.ts";
import { Decision } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import { badness, METRIC_NAMES, marginAt } from "./metrics.ts";
import type { SavedBlocks } from "./model.ts";
import type { Block } from "./round.ts";
import { levelOf } from "./round.ts";

export const NOT_ALTERNATED =
  "recorded one after the other: whatever else changed in between counts as a difference";

/** Sentences that name what is unlike in two recordings; empty: they may be compared. */
export function unlikenesses(before: SavedBlocks, after: SavedBlocks): string[] {
  const pairs: readonly (readonly [string, string | number, string | number])[] = [
    ["worker", before.side.worker, after.side.worker],
    ["time scale", before.side.timeScale, after.side.timeScale],
    ["rate, jobs/s", before.load.jobsPerSecond, after.load.jobsPerSecond],
    ["block, s", before.load.blockSeconds, after.load.blockSeconds],
    ["plumbline", before.tool.plumbline, after.tool.plumbline],
    ["processor", before.machine.processor, after.machine.processor],
    ["cores", before.machine.cores, after.machine.cores],
  ];
  return pairs.flatMap(([what, a, b]) => (a === b ? [] : [`${what}: ${a} before, ${b} after`]));
}

export function judgeBeforeAfter(
  before: readonly Block[],
  after: readonly Block[],
  { margins, seed }: { margins: Margins; seed: number },
): Judged<MetricName>[] {
  const random = seededUniform(seed);
  const inputs = METRIC_NAMES.flatMap((name) => {
    const spread = spreadBetween(before, after, name, random);
    const margin = marginAt(margins, name, levelOf(before, "base", name));
    return spread === null ? [] : [{ name, spread, margin }];
  });
  const rounds = Math.floor((before.length + after.length) / 4);
  return new Decision<MetricName>([rounds]).look(0, inputs);
}

function spreadBetween(
  before: readonly Block[],
  after: readonly Block[],
  name: MetricName,
  random: () => number,
): MeanSpread | null {
  const [a, b] = [valuesOf(before, name), valuesOf(after, name)];
  if (Math.min(a.length, b.length) < VALUES_MIN) return null;
  return spreadOfDifference(a, b, random);
}

function valuesOf(blocks: readonly Block[], name: MetricName): number[] {
  return blocks
    .map(({ figures }) => figures[name])
    .filter((each) => each !== null)
    .map((value) => badness(name, value));
}
