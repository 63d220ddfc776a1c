/** A comparison as the page of a report draws it. */

import type { ComparedMetric, ComparisonIntervals } from "../../report/comparison-intervals.ts";
import type { ComparisonReport, MetricReport } from "./model.ts";

export function comparisonIntervals(report: ComparisonReport): ComparisonIntervals {
  const { base, candidate, verdict, verdictReason, metrics } = report;
  const word = verdict === "unknown" ? "can't tell" : verdict;
  return {
    base: base.label,
    candidate: candidate.label,
    summary: `${word}: ${verdictReason}`,
    metrics: metrics.map(comparedMetric),
  };
}

/** On the scale of the verdicts: above 1 is worse, also for the throughput. */
function comparedMetric(metric: MetricReport): ComparedMetric {
  const { name, unit, base, candidate, change, low, high, margin, verdict, reason } = metric;
  const isWhole = change !== null && low !== null && high !== null;
  return {
    name,
    unit,
    base,
    candidate,
    ratio: isWhole ? { value: 1 + change, low: 1 + low, high: 1 + high } : null,
    margin,
    verdict: verdict === "unknown" ? "can't tell" : verdict,
    reason,
  };
}
