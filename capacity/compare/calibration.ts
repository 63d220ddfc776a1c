/** What a comparison of a deployment with itself teaches: which differences its noise can feign. */

import { EXIT } from "../../report/exit-codes.ts";
import type { Judged } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import { METRIC_NAMES } from "./metrics.ts";
import type { ComparisonReport } from "./model.ts";

/** Ours: half a per cent of room, as the next run's noise is not the same. */
const ROOM = 0.005;

/**
 * The least margin for each metric: what the interval of equal sides reaches, and no less than
 * asked for. A metric without an interval keeps what was asked for.
 */
export function calibratedMargins(report: ComparisonReport, asked: Margins): Margins {
  const byName = new Map(report.metrics.map((metric) => [metric.name, metric]));
  const entries = METRIC_NAMES.map((name) => {
    const { low = null, high = null } = byName.get(name) ?? {};
    const reached = low === null || high === null ? 0 : Math.max(-low, high);
    const least = reached === 0 ? 0 : Math.log1p(reached + ROOM);
    return [name, Math.max(asked[name], least)] as const;
  });
  return Object.fromEntries(entries) as Margins;
}

/** Nothing may be claimed of equal sides: what seems worse or better is noise, or they differ. */
export function calibrationVerdict(
  report: ComparisonReport,
  judged: readonly Judged<MetricName>[],
): ComparisonReport {
  const apart = judged.filter(({ claim }) => claim === "worse" || claim === "better");
  if (report.exitCode === EXIT.interrupted) return report;
  if (apart.length > 0) {
    const names = apart.map(({ name }) => name).join(", ");
    const reason = `equal sides differ in ${names}: this environment can't compare them`;
    return { ...report, verdict: "unknown", verdictReason: reason, exitCode: EXIT.noVerdict };
  }
  const reason = "margins for --calibration: what equal sides can seem to differ by";
  return { ...report, verdict: "same", verdictReason: reason, exitCode: EXIT.ok };
}
