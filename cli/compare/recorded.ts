/** Recording blocks of one deployment, and comparing recordings: before and after. */

import {
  judgeBeforeAfter,
  NOT_ALTERNATED,
  tooFewRecordings,
  unlikenesses,
} from "../../capacity/compare/before-after.ts";
import { buildComparison, sideOf, toolVersions } from "../../capacity/compare/build-report.ts";
import { loadInBlocks } from "../../capacity/compare/load-in-blocks.ts";
import type { Margins } from "../../capacity/compare/metrics.ts";
import type { ComparisonReport, SavedBlocks } from "../../capacity/compare/model.ts";
import { COMPARISON_SCHEMA_VERSION, savedBlocksSchema } from "../../capacity/compare/model.ts";
import type { Block, Side } from "../../capacity/compare/round.ts";
import { BLOCKS_A_ROUND } from "../../capacity/compare/round.ts";
import { thisMachine } from "../../capacity/machine.ts";
import { nowMs } from "../../clock/system-clock.ts";
import { redactor } from "../../contract/text/redact.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { prepareFile, replaceFile } from "../../report/report-directory.ts";
import { jsonText } from "../../report/text.ts";
import type { Context } from "../context.ts";
import { readJsonFile } from "../files/json-file.ts";
import { UsageError } from "../usage-error.ts";
import type { CompareFlags, CompareMode, CompareRequest } from "./request.ts";
import { rateOf } from "./request.ts";
import { openSide } from "./sides.ts";

export async function recordBlocks(
  mode: Extract<CompareMode, { kind: "record" }>,
  request: CompareRequest,
  flags: Pick<CompareFlags, "json">,
  context: Context,
): Promise<ExitCode> {
  const { output, signal } = context;
  await prepareFile(mode.file);
  await using side = await openSide("base", mode.base, context);
  output.hide(redactor(side.secrets.values()));
  const { subject } = side;
  const rate = rateOf(request, [subject]);
  const startedAt = new Date(nowMs()).toISOString();
  const load = { jobsPerSecond: rate, blockSeconds: request.blockSeconds };
  const blocks = BLOCKS_A_ROUND * request.roundsMax;
  output.say(`recording ${blocks} blocks of ${load.blockSeconds} s, ${rate} jobs/s\n`);
  const recorded = await loadInBlocks(subject, {
    ...load,
    blocks,
    budget: subject.target.budget,
    signal,
  });
  const saved: SavedBlocks = {
    schemaVersion: COMPARISON_SCHEMA_VERSION,
    kind: "blocks",
    startedAt,
    finishedAt: new Date(nowMs()).toISOString(),
    tool: toolVersions(),
    machine: thisMachine(),
    load,
    side: sideOf(subject, side.label),
    blocks: recorded.blocks.map((block) => ({ ...block, figures: { ...block.figures } })),
    endsBy: recorded.endsBy,
    discarded: recorded.discarded,
    notes: [...recorded.failures],
  };
  const text = jsonText(saved);
  await replaceFile(mode.file, text);
  if (flags.json) output.result(text);
  output.say(`${saved.blocks.length} blocks recorded in ${mode.file}\n`);
  if (signal.aborted) return EXIT.interrupted;
  return saved.blocks.length === 0 ? EXIT.noVerdict : EXIT.ok;
}

export async function compareBeforeAfter(
  mode: Extract<CompareMode, { kind: "before-after" }>,
  margins: Margins,
  seed: number,
): Promise<ComparisonReport> {
  const before = await readRecordings(mode.before);
  const after = await readRecordings(mode.after);
  refuseUnlike(before, after);
  const blocks = { base: blocksOf(before, "base"), candidate: blocksOf(after, "candidate") };
  const rounds = [...blocks.base, ...blocks.candidate].flatMap((each) => chunked(each));
  const all = [...before, ...after];
  const [first, last] = [before[0], after.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError("a side has no recording");
  return buildComparison({
    kind: "before-after",
    rounds,
    judged: judgeBeforeAfter(blocks.base, blocks.candidate, { margins, seed }),
    margins,
    ending: "full",
    discarded: all.reduce((sum, { discarded }) => sum + discarded, 0),
    roundsMax: rounds.length,
    load: first.load,
    base: first.side,
    candidate: last.side,
    seed,
    startedAtMs: Math.min(...all.map(({ startedAt }) => Date.parse(startedAt))),
    finishedAtMs: Math.max(...all.map(({ finishedAt }) => Date.parse(finishedAt))),
    machine: last.machine,
    notes: [
      `${before.length} recorded before, ${after.length} after`,
      NOT_ALTERNATED,
      ...all.flatMap(({ notes }) => notes),
    ],
    withheld: tooFewRecordings(before.length, after.length),
  });
}

function blocksOf(recordings: readonly SavedBlocks[], side: Side): Block[][] {
  return recordings.map(({ blocks }) => blocks.map((block) => ({ ...block, side })));
}

function readRecordings(files: readonly string[]): Promise<SavedBlocks[]> {
  const what = "blocks of plumbline compare --record";
  return Promise.all(files.map((file) => readJsonFile(file, savedBlocksSchema, what)));
}

/** Throws UsageError; a recording that is given twice would pass for two runs that agree. */
function refuseUnlike(before: readonly SavedBlocks[], after: readonly SavedBlocks[]): void {
  const unlike = unlikenesses(before, after);
  const problems = unlike.map((each) => `not comparable: ${each}; expected the same`);
  if (problems.length > 0) throw new UsageError("unlike-runs", problems);
  const starts = [...before, ...after].map(({ startedAt }) => startedAt);
  const twice = starts.find((each, at) => starts.indexOf(each) !== at);
  if (twice === undefined) return;
  const problem = `the recording that started at ${twice} is given more than once`;
  throw new UsageError("invalid-option", [`${problem}; expected each once`]);
}

function chunked<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / BLOCKS_A_ROUND);
  return Array.from({ length: count }, (_, at) =>
    items.slice(at * BLOCKS_A_ROUND, (at + 1) * BLOCKS_A_ROUND),
  );
}
