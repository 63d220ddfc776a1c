/**
 * Compares recordings that were made one after the other. Without alternation, whatever else
 * changed in between counts as a difference; the report says so. The unit is a recording: blocks
 * of one run share what that run was like, so that their interval holds nothing of the noise
 * between runs.
 */

import { seededUniform } from "../../contract/numbers/random.ts";
import type { MeanSpread } from "../statistics/interval.ts";
import { spreadOfDifference, studentSpread, VALUES_MIN } from "../statistics/interval.ts";
import { meanOf } from "../statistics/moments.ts";
import type { Judged } from "./decision.ts";
import { Decision } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import { badness, METRIC_NAMES, marginAt } from "./metrics.ts";
import type { SavedBlocks } from "./model.ts";
import type { Block } from "./round.ts";
import { levelOf } from "./round.ts";

export const NOT_ALTERNATED =
  "recorded one after the other: whatever else changed in between counts as a difference";

/** Ours: of fewer recordings a side the noise from run to run can't be told. */
const RECORDINGS_MIN = 5;

/** Sentences that name what is unlike in the recordings; empty: they may be compared. */
export function unlikenesses(
  before: readonly SavedBlocks[],
  after: readonly SavedBlocks[],
): string[] {
  const [then, now] = [before.map(circumstancesOf), after.map(circumstancesOf)];
  const names = Object.keys(then[0] ?? {});
  return names.flatMap((name) => {
    const [a, b] = [valuesIn(then, name), valuesIn(now, name)];
    if (new Set([...a, ...b]).size <= 1) return [];
    return [`${name}: ${a.join(" and ")} before, ${b.join(" and ")} after`];
  });
}

type Circumstances = Readonly<Record<string, string | number>>;

function valuesIn(recordings: readonly Circumstances[], name: string): (string | number)[] {
  return [...new Set(recordings.map((each) => each[name] ?? ""))];
}

/** Words for who told when jobs ended. */
const TOLD_BY = { byService: "the service's timestamps", byPolls: "polls" };

function circumstancesOf({ side, load, endsBy, tool, machine }: SavedBlocks): Circumstances {
  return {
    worker: side.worker,
    "time scale": side.timeScale,
    "rate, jobs/s": load.jobsPerSecond,
    "block, s": load.blockSeconds,
    "ends told by": endsBy === undefined ? "unknown" : TOLD_BY[endsBy],
    plumbline: tool.plumbline,
    processor: machine.processor,
    cores: machine.cores,
  };
}

/** Why no claim is made whatever the intervals say; null where there are recordings enough. */
export function tooFewRecordings(before: number, after: number): string | null {
  if (Math.min(before, after) >= RECORDINGS_MIN) return null;
  const found = `${before} recorded before and ${after} after`;
  const expected = `expected ${RECORDINGS_MIN} or more recordings a side`;
  return `${found}: the interval holds no noise from run to run; ${expected}`;
}

/** Each side: its recordings, as blocks. */
export function judgeBeforeAfter(
  before: readonly (readonly Block[])[],
  after: readonly (readonly Block[])[],
  { margins, seed }: { margins: Margins; seed: number },
): Judged<MetricName>[] {
  const random = seededUniform(seed);
  const isEnough = tooFewRecordings(before.length, after.length) === null;
  const inputs = METRIC_NAMES.flatMap((name) => {
    const spread = isEnough
      ? spreadOverRecordings(before, after, name)
      : spreadOverBlocks(before.flat(), after.flat(), name, random);
    const margin = marginAt(margins, name, levelOf(before.flat(), "base", name));
    return spread === null ? [] : [{ name, spread, margin }];
  });
  const rounds = Math.floor((before.flat().length + after.flat().length) / 4);
  const judged = new Decision<MetricName>([rounds]).look(0, inputs);
  return isEnough ? judged : judged.map((each) => ({ ...each, claim: null }));
}

/** Of logarithms of levels, each the mean over many blocks: near enough to normal for Welch. */
function spreadOverRecordings(
  before: readonly (readonly Block[])[],
  after: readonly (readonly Block[])[],
  name: MetricName,
): MeanSpread | null {
  const [a, b] = [levels(before, name), levels(after, name)];
  return Math.min(a.length, b.length) < RECORDINGS_MIN ? null : studentSpread(a, b);
}

function levels(recordings: readonly (readonly Block[])[], name: MetricName): number[] {
  return recordings
    .map((blocks) => valuesOf(blocks, name))
    .filter((values) => values.length > 0)
    .map(meanOf);
}

function spreadOverBlocks(
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
