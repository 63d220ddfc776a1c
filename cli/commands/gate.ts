/** `plumbline gate`: judges the promises of a target, or of the embedded service. */

import { existsSync } from "node:fs";
import type { ExitCode } from "../../report/exit-codes.ts";
import type { Report } from "../../report/model.ts";
import type { Context } from "../context.ts";
import type { BaselineOption } from "../gate/baseline-comparison.ts";
import type { GateRequest } from "../gate/gate-run.ts";
import type { SubjectFlags } from "../subject/subject.ts";
import { openSubject, readSubject } from "../subject/subject.ts";
import { LABELS_OF_K6, readLabels } from "../values/labels.ts";
import { OptionReader } from "../values/option-reader.ts";
import { readRemoteWrite } from "../values/remote-write.ts";
import type { TraceFlag } from "../values/trace-option.ts";
import { readTrace, traced } from "../values/trace-option.ts";

interface GateFlags extends SubjectFlags {
  profile: string;
  only?: string;
  report: string;
  baseline?: string;
  failOnRegression: boolean;
  strict: boolean;
  verbose: boolean;
  seed?: string;
  prometheusRw?: string;
  label: readonly string[];
  trace?: TraceFlag;
  json: boolean;
}

/** What works on the subject is loaded when it is there: a wrong request is told at once. */
export async function gateCommand(flags: GateFlags, context: Context): Promise<ExitCode> {
  const options = new OptionReader();
  const trace = readTrace(flags.trace, options) ?? null;
  const labels = readLabels("--label", flags.label, LABELS_OF_K6, options);
  const request: GateRequest = {
    profile: options.profile(flags.profile),
    ...options.only(flags.only),
    seed: options.seed(flags.seed),
    reportDirectory: flags.report,
    remoteWrite: readRemoteWrite(flags.prometheusRw, options, labels),
  };
  const choose = await readSubject(flags, request, options);
  const hold = readBaselineFlags(flags, options);
  options.finish();
  const compare = await openComparison(hold);
  await using subject = traced(await openSubject(choose, context.environment), trace);
  const { runAndTell } = await import("../gate/gate-run.ts");
  return await runAndTell({ flags, request, labels, compare }, subject, context);
}

function readBaselineFlags(
  { baseline, failOnRegression }: Pick<GateFlags, "baseline" | "failOnRegression">,
  options: OptionReader,
): BaselineOption | null {
  const file = baseline ?? null;
  if (failOnRegression && file === null) {
    options.problem("--fail-on-regression has nothing to compare with; expected --baseline beside");
  } else if (failOnRegression && file !== null && !existsSync(file)) {
    options.problem(`--baseline: there is no "${file}"; expected the file of baseline accept`);
  }
  return file === null ? null : { file, failing: failOnRegression };
}

/** Before the run, so that a wrong file costs none. */
async function openComparison(hold: BaselineOption | null): Promise<(report: Report) => Report> {
  if (hold === null) return (report) => report;
  const { openBaseline } = await import("../gate/baseline-comparison.ts");
  return await openBaseline(hold);
}
