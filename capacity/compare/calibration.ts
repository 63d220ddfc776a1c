/** What a comparison of a deployment with itself teaches: which differences its noise can feign. */

import { EXIT } from "../../report/exit-codes.ts";
import type { Judged } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import { METRIC_NAMES } from "./metrics.ts";
import type { ComparisonReport, MetricReport } from "./model.ts";

const NO_MARGINS = Object.fromEntries(METRIC_NAMES.map((name) => [name, 0])) as Margins;
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

/**
 * With the margins that were found, or 111 where something is claimed of equal sides: then it is
 * more than noise that they differ by.
 */
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
  const margins = calibratedMargins(report, NO_MARGINS);
  const metrics = report.metrics.map((metric): MetricReport => {
    if (metric.low === null || metric.high === null) return metric;
    const margin = Math.max(metric.margin, Math.expm1(margins[metric.name]));
    return { ...metric, verdict: "same", reason: null, margin };
  });
  const reason = "these margins cover what equal sides seem to differ by";
  return { ...report, metrics, verdict: "same", verdictReason: reason, exitCode: EXIT.ok };
}
