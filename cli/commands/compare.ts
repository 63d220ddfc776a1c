/** `plumbline compare`: better, worse or the same as the base, or is there no telling? */

import path from "node:path";
import type { BuildInput } from "../../capacity/compare/build-report.ts";
import { buildComparison, sideOf } from "../../capacity/compare/build-report.ts";
import { calibratedMargins, calibrationVerdict } from "../../capacity/compare/calibration.ts";
import { Comparison } from "../../capacity/compare/comparison.ts";
import type { Margins } from "../../capacity/compare/metrics.ts";
import { evenMargins } from "../../capacity/compare/metrics.ts";
import type { ComparisonReport } from "../../capacity/compare/model.ts";
import { comparisonSchema } from "../../capacity/compare/model.ts";
import { renderComparison, renderComparisonMarkdown } from "../../capacity/compare/render.ts";
import { BLOCKS_A_ROUND } from "../../capacity/compare/round.ts";
import type { ComparisonRun } from "../../capacity/compare/run-comparison.ts";
import { runComparison } from "../../capacity/compare/run-comparison.ts";
import { thisMachine } from "../../capacity/machine.ts";
import { nowMs } from "../../clock/system-clock.ts";
import { redactor } from "../../contract/text/redact.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { prepareDirectory, replaceFile } from "../../report/report-directory.ts";
import { jsonText } from "../../report/text.ts";
import { compareBeforeAfter, recordBlocks } from "../compare/recorded.ts";
import type { CompareFlags, CompareMode, CompareRequest } from "../compare/request.ts";
import { rateOf, readCompareRequest } from "../compare/request.ts";
import { budgetsOf, openSide } from "../compare/sides.ts";
import type { Context } from "../context.ts";
import { readJsonFile } from "../files/json-file.ts";
import { resultWriter } from "../output.ts";
import { OptionReader } from "../values/option-reader.ts";

type Alternating = Extract<CompareMode, { kind: "interleaved" | "calibration" }>;

export async function compareCommand(flags: CompareFlags, context: Context): Promise<ExitCode> {
  const { output } = context;
  const options = new OptionReader();
  const request = readCompareRequest(flags, options);
  options.finish();
  const { mode } = request;
  if (mode.kind === "record") return await recordBlocks(mode, request, flags, context);
  const margins = await marginsOf(request);
  const { reportDirectory: directory } = request;
  if (mode.kind !== "before-after") await prepareDirectory(directory, FILES);
  const report =
    mode.kind === "before-after"
      ? await compareBeforeAfter(mode, margins, request.seed)
      : await compareSides(mode, request, margins, context);
  // An earlier comparison is not lost for recordings that can't be compared.
  if (mode.kind === "before-after") await prepareDirectory(directory, FILES);
  const { write, style } = resultWriter(output, flags.json, report);
  write(`\n${renderComparison(report, style)}`);
  await writeComparison(directory, report);
  write(`report: ${directory}\n`);
  return report.exitCode;
}

async function marginsOf({ margin, calibrationFile }: CompareRequest): Promise<Margins> {
  const asked = evenMargins(margin);
  if (calibrationFile === null) return asked;
  const what = "a comparison.json of compare --calibrate";
  const calibration = await readJsonFile(calibrationFile, comparisonSchema, what);
  return calibratedMargins(calibration, asked);
}

async function compareSides(
  mode: Alternating,
  request: CompareRequest,
  margins: Margins,
  context: Context,
): Promise<ComparisonReport> {
  await using base = await openSide("base", mode.base, context);
  await using candidate = await openSide("candidate", mode.candidate, context);
  const secrets = [...base.secrets.values(), ...candidate.secrets.values()];
  context.output.hide(redactor(secrets));
  const { seed, roundsMax, blockSeconds } = request;
  const subjects = { base: base.subject, candidate: candidate.subject };
  const rate = rateOf(request, Object.values(subjects));
  const most = `at most ${BLOCKS_A_ROUND * roundsMax} blocks of ${blockSeconds} s`;
  context.output.say(`comparing ${base.label} with ${candidate.label}: ${most}, ${rate} jobs/s\n`);
  const comparison = new Comparison({ roundsMax, margins, seed });
  const startedAtMs = nowMs();
  const outcome = await runComparison(comparison, {
    subjects,
    jobsPerSecond: rate,
    blockSeconds,
    seed,
    budgets: budgetsOf(base, candidate),
    signal: context.signal,
    onRound: (grown) => tellRound(grown, roundsMax, context),
    runsToTheEnd: mode.kind === "calibration",
  });
  const input: BuildInput = {
    ...outcome,
    kind: mode.kind,
    rounds: comparison.rounds,
    judged: comparison.judged,
    margins,
    roundsMax,
    load: { jobsPerSecond: rate, blockSeconds },
    base: sideOf(base.subject, base.label),
    candidate: sideOf(candidate.subject, candidate.label),
    seed,
    startedAtMs,
    finishedAtMs: nowMs(),
    machine: thisMachine(),
    notes: [...endsNotes(outcome), ...outcome.failures],
    withheld: null,
  };
  const report = buildComparison(input);
  return mode.kind === "calibration" ? calibrationVerdict(report, comparison.judged) : report;
}

/** Ours: a line now and then shows that it is alive. */
const TELL_EVERY = 4;

function tellRound({ rounds, judged }: Comparison, roundsMax: number, { output }: Context): void {
  if (rounds.length % TELL_EVERY !== 0) return;
  const claims = judged.flatMap(({ name, claim }) => (claim === null ? [] : [`${name} ${claim}`]));
  const said = claims.length === 0 ? "nothing decided yet" : claims.join(", ");
  const [blocks, most] = [rounds.length, roundsMax].map((each) => BLOCKS_A_ROUND * each);
  output.say(`${blocks} of at most ${most} blocks: ${said}\n`);
}

function endsNotes({ endsBy }: ComparisonRun): readonly string[] {
  if (endsBy === "byService") return [];
  return ["the end of jobs is measured by polls, as not all timestamps have milliseconds"];
}

/** The directory of a comparison: a file for programs, two for people. */
const FILES = ["comparison.json", "comparison.md", "comparison.html"] as const;

async function writeComparison(directory: string, report: ComparisonReport): Promise<void> {
  const texts: Readonly<Record<(typeof FILES)[number], string>> = {
    "comparison.json": jsonText(report),
    "comparison.md": renderComparisonMarkdown(report),
    "comparison.html": await renderedHtml(report),
  };
  for (const file of FILES) await replaceFile(path.join(directory, file), texts[file]);
}

/** Loaded when it is needed: a plotting library takes longer to load than the rest together. */
async function renderedHtml(report: ComparisonReport): Promise<string> {
  const { renderHtml } = await import("../../report/html/render-html.ts");
  return renderHtml({ comparisons: [report] });
}
