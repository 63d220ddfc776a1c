/** Holds the run of a gate against a baseline file, where one is named. */

import { existsSync } from "node:fs";

import type { BaselineComparison } from "../capacity/baseline/judge.ts";
import { compareWithBaseline } from "../capacity/baseline/judge.ts";
import { doubtAbout, runOf } from "../capacity/baseline/run-of.ts";
import { BASELINE_GROUP, withBaselineVerdict } from "../report/baseline.ts";
import type { Report } from "../report/model.ts";
import { entriesOf, readBaseline } from "./baseline-file.ts";
import type { OptionReader } from "./options.ts";

export interface BaselineOption {
  /** null: nothing is compared. */
  file: string | null;
  failing: boolean;
}

export function readBaselineFlags(
  { baseline, failOnRegression }: { baseline?: string; failOnRegression: boolean },
  options: OptionReader,
): BaselineOption {
  const file = baseline ?? null;
  if (failOnRegression && file === null) {
    options.problem("--fail-on-regression has nothing to compare with; expected --baseline beside");
  } else if (failOnRegression && file !== null && !existsSync(file)) {
    options.problem(`--baseline: there is no "${file}"; expected the file of baseline accept`);
  }
  return { file, failing: failOnRegression };
}

/** Reads the file before the run, so that a wrong one costs none; returns what compares. */
export async function openBaseline({
  file,
  failing,
}: BaselineOption): Promise<(report: Report) => Report> {
  if (file === null) return (report) => report;
  const baseline = await readBaseline(file);
  return (report) => {
    const doubt = doubtAbout(report);
    const comparison: BaselineComparison =
      doubt === null
        ? compareWithBaseline(runOf(report), baseline)
        : { kind: "not compared", reason: `as ${doubt}` };
    const entries = entriesOf(comparison, failing);
    const measurements = { ...report.measurements, [BASELINE_GROUP]: entries };
    return withBaselineVerdict({ ...report, measurements });
  };
}
