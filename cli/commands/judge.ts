/** `plumbline judge DIR`: judges the evidence of an earlier run again, with today's judges. */

import { join } from "node:path";
import { countText } from "../../contract/numbers/figures.ts";
import type { Tolerances } from "../../contract/run/run-plan.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import { buildReport } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import type { Report } from "../../report/model.ts";
import { EVIDENCE_FILE } from "../../report/report-directory.ts";
import { renderTerminal } from "../../report/terminal.ts";
import type { Context } from "../context.ts";
import { textIn } from "../files/json-file.ts";
import { readReport } from "../files/report-file.ts";
import { judgedFrom, reportFrom } from "../gate/judged-evidence.ts";
import { resultWriter } from "../output.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";

export interface JudgeFlags {
  directory: string;
  target?: string;
  strict: boolean;
  verbose: boolean;
  json: boolean;
}

/** Writes no file: the run's own report stays what it was. */
export async function judgeCommand(flags: JudgeFlags, { output }: Context): Promise<ExitCode> {
  const tolerances = flags.target === undefined ? null : await tolerancesIn(flags.target);
  const file = join(flags.directory, EVIDENCE_FILE);
  const text = await textIn(file, "the report directory of a gate run");
  const recording = judgedFrom(file, () => readRecording(text, tolerances));
  const before = await readReport(join(flags.directory, "report.json"));
  const strict = flags.strict || before.strict;
  const report = reportFrom(file, () => {
    return buildReport(resultOf(recording), { strict, labels: before.labels });
  });
  const tell = resultWriter(output, flags.json, report);
  const told = renderTerminal(report, { ...tell.style, verbose: flags.verbose });
  tell.write(`\n${told}${changesText(before, report)}`);
  return report.exitCode;
}

/** Keys are not needed to judge, so that their values need not be there. */
async function tolerancesIn(file: string): Promise<Tolerances> {
  const { target } = await loadTargetFile(file, null);
  return target.tolerances;
}

/** A line for each promise whose verdict is another one than the run's own. */
function changesText(before: Report, after: Report): string {
  const earlier = new Map(before.promises.map(({ id, verdict }) => [id, verdict]));
  const changed = after.promises.flatMap(({ id, verdict }) => {
    const was = earlier.get(id);
    return was === verdict ? [] : [`${id}: was ${was ?? "not judged"}, is ${verdict}\n`];
  });
  const head =
    changed.length === 0
      ? "no verdict changed"
      : `${countText(changed.length, "verdict")} changed:`;
  return `judged again: ${head}\n${changed.join("")}`;
}
