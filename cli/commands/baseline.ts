/** `plumbline baseline`: keeps the runs that later ones are compared with. */

import { RUNS_MIN } from "../../capacity/baseline/judge.ts";
import type { Baseline, BaselineRun } from "../../capacity/baseline/model.ts";
import { doubtAbout, runOf } from "../../capacity/baseline/run-of.ts";
import {
  lossesByAccepting,
  passedRecently,
  withAccepted,
  withRecent,
  withRecentAccepted,
} from "../../capacity/baseline/update.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import type { Report } from "../../report/model.ts";
import { jsonText } from "../../report/text.ts";
import type { Context } from "../context.ts";
import { readBaseline, writeBaseline } from "../files/baseline-file.ts";
import { readReport } from "../files/report-file.ts";
import { UsageError } from "../usage-error.ts";

export interface BaselineFlags {
  reports: readonly string[];
  baseline: string;
  json: boolean;
}

/** Without reports, the recent runs of the file that passed are accepted. */
export async function baselineAccept(flags: BaselineFlags, context: Context): Promise<ExitCode> {
  const baseline = await readBaseline(flags.baseline);
  const runs = await readRuns(flags.reports, (report) =>
    report.verdict === "pass" ? null : `its verdict is "${report.verdict}"; expected "pass"`,
  );
  if (runs.length === 0) refuseRecent(flags.baseline, baseline);
  const next = runs.length === 0 ? withRecentAccepted(baseline) : withAccepted(baseline, runs);
  return await keep(flags, next, context);
}

/** Throws UsageError where the recent runs are no measure for later ones. */
function refuseRecent(file: string, baseline: Baseline): void {
  if (passedRecently(baseline).length === 0) {
    const problem = `"${file}" holds no recent runs that passed`;
    const expected = "expected some, or report.json files to accept";
    throw new UsageError("invalid-option", [`${problem}; ${expected}`]);
  }
  const problems = lossesByAccepting(baseline).map(({ accepted, recent }) => {
    const few = `${recent} recent runs that passed`;
    const problem = `"${file}": ${few} would replace ${accepted} accepted`;
    const expected = `expected ${RUNS_MIN} or more: record further runs first`;
    return `${problem}; ${expected}, or name report.json files, which are added instead`;
  });
  if (problems.length > 0) throw new UsageError("invalid-option", problems);
}

/** Adds runs that are to be held against the accepted ones. */
export async function baselineRecord(flags: BaselineFlags, context: Context): Promise<ExitCode> {
  const baseline = await readBaseline(flags.baseline);
  const runs = await readRuns(flags.reports, () => null);
  return await keep(flags, withRecent(baseline, runs), context);
}

async function keep(
  { baseline: file, json }: BaselineFlags,
  next: Baseline,
  { output }: Context,
): Promise<ExitCode> {
  await writeBaseline(file, next);
  const { accepted, recent } = next;
  if (json) output.result(jsonText(next));
  output.say(`${file}: ${accepted.length} accepted runs, ${recent.length} recent ones\n`);
  return EXIT.ok;
}

/** Throws UsageError, with all that is wrong, for reports that can't be compared with others. */
async function readRuns(
  files: readonly string[],
  objection: (report: Report) => string | null,
): Promise<BaselineRun[]> {
  const reports = await Promise.all(files.map(readReport));
  const runs = reports.map(runOf);
  const problems = files.flatMap((file, at) => {
    const [report, run] = [reports[at], runs[at]];
    if (report === undefined || run === undefined) return [];
    const why = report.partial ? "it was interrupted; expected a whole run" : objection(report);
    const doubt = doubtAbout(report);
    if (why === null && doubt !== null) {
      return [`"${file}": its figures say nothing of the service, as ${doubt}`];
    }
    if (why !== null) return [`"${file}": ${why}`];
    return run.figures.length > 0
      ? []
      : [`"${file}": it measured no load; expected a load section`];
  });
  if (problems.length > 0) throw new UsageError("invalid-report", problems);
  return runs;
}
