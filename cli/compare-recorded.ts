/** Recording blocks of one deployment, and comparing two recordings: before and after. */

import {
  judgeBeforeAfter,
  NOT_ALTERNATED,
  unlikenesses,
} from "../capacity/compare/before-after.ts";
import { buildComparison, sideOf, toolVersions } from "../capacity/compare/build-report.ts";
import { loadInBlocks } from "../capacity/compare/load-in-blocks.ts";
import type { Margins } from "../capacity/compare/metrics.ts";
import type { ComparisonReport, SavedBlocks } from "../capacity/compare/model.ts";
import { COMPARISON_SCHEMA_VERSION, savedBlocksSchema } from "../capacity/compare/model.ts";
import { jobsPerSecond } from "../capacity/compare/side.ts";
import { thisMachine } from "../capacity/machine.ts";
import { redactor } from "../contract/redact.ts";
import type { ExitCode } from "../report/exit-codes.ts";
import { EXIT } from "../report/exit-codes.ts";
import { prepareFile, replaceFile } from "../report/report-directory.ts";
import type { CompareFlags, CompareMode, CompareRequest } from "./compare-request.ts";
import { DEFAULT_JOBS_PER_SECOND } from "./compare-request.ts";
import { openSide } from "./compare-sides.ts";
import type { Context } from "./context.ts";
import { readJsonFile } from "./json-file.ts";
import { UsageError } from "./usage-error.ts";

const BLOCKS_A_ROUND = 4;

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
  const asked = request.jobsPerSecond ?? subject.target.load?.jobsPerSecond;
  const rate = jobsPerSecond(asked ?? DEFAULT_JOBS_PER_SECOND, [subject]);
  const startedAt = new Date().toISOString();
  const load = { jobsPerSecond: rate, blockSeconds: request.blockSeconds };
  const recorded = await loadInBlocks(subject, {
    ...load,
    blocks: BLOCKS_A_ROUND * request.roundsMax,
    budget: subject.target.budget,
    signal,
  });
  const saved: SavedBlocks = {
    schemaVersion: COMPARISON_SCHEMA_VERSION,
    kind: "blocks",
    startedAt,
    finishedAt: new Date().toISOString(),
    tool: toolVersions(),
    machine: thisMachine(),
    load,
    side: sideOf(subject, side.label),
    blocks: recorded.blocks.map((block) => ({ ...block, figures: { ...block.figures } })),
    discarded: recorded.discarded,
    notes: [...recorded.failures],
  };
  const text = `${JSON.stringify(saved, null, 2)}\n`;
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
  const what = "blocks of plumbline compare --record";
  const before = await readJsonFile(mode.before, savedBlocksSchema, what);
  const after = await readJsonFile(mode.after, savedBlocksSchema, what);
  const unlike = unlikenesses(before, after);
  if (unlike.length > 0) {
    const problems = unlike.map((each) => `not comparable: ${each}; expected the same`);
    throw new UsageError("unlike-runs", problems);
  }
  const blocks = {
    base: before.blocks.map((block) => ({ ...block, side: "base" as const })),
    candidate: after.blocks.map((block) => ({ ...block, side: "candidate" as const })),
  };
  const rounds = [...chunked(blocks.base), ...chunked(blocks.candidate)];
  return buildComparison({
    kind: "before-after",
    rounds,
    judged: judgeBeforeAfter(blocks.base, blocks.candidate, { margins, seed }),
    margins,
    ending: "full",
    discarded: before.discarded + after.discarded,
    roundsMax: rounds.length,
    load: before.load,
    base: before.side,
    candidate: after.side,
    seed,
    startedAtMs: Date.parse(before.startedAt),
    finishedAtMs: Date.parse(after.finishedAt),
    machine: after.machine,
    notes: [NOT_ALTERNATED, ...before.notes, ...after.notes],
  });
}

function chunked<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / BLOCKS_A_ROUND);
  return Array.from({ length: count }, (_, at) =>
    items.slice(at * BLOCKS_A_ROUND, (at + 1) * BLOCKS_A_ROUND),
  );
}
