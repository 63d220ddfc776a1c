/** Holds the run of a gate against a baseline file, where one is named. */

import type { BaselineComparison } from "../../capacity/baseline/judge.ts";
import { compareWithBaseline } from "../../capacity/baseline/judge.ts";
import { doubtAbout, runOf } from "../../capacity/baseline/run-of.ts";
import { BASELINE_GROUP, withBaselineVerdict } from "../../report/baseline.ts";
import type { Report } from "../../report/model.ts";
import { entriesOf, readBaseline } from "../files/baseline-file.ts";

export interface BaselineOption {
  file: string;
  failing: boolean;
}

/** Reads the file; returns what compares. */
export async function openBaseline({
  file,
  failing,
}: BaselineOption): Promise<(report: Report) => Report> {
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
