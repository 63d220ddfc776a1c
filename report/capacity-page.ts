/** Turns what a capacity search found to what the page shows of it. */

import type { CapacityCurve, CapacityPoint } from "./capacity-curve.ts";
import type { CapacityResult, CapacityStep } from "./capacity-model.ts";

/** Ours: less than this share of what was offered gets done only beyond the knee. */
const KNEE_SHARE = 0.97;

export function capacityCurve(result: CapacityResult): CapacityCurve {
  const { estimate, bottleneck, limits, steps, subject, summary } = result;
  return {
    unit: result.of === "jobs" ? "completed jobs" : `requests to ${subject.endpoint ?? "it"}`,
    summary,
    points: steps.flatMap(pointOf),
    estimate:
      estimate === null
        ? null
        : {
            perSecond: estimate.perSecond,
            low: estimate.low,
            high: estimate.high,
            confidence: estimate.confidence,
          },
    kneePerSecond: estimate !== null && steps.some(isBeyondKnee) ? estimate.perSecond : null,
    bottleneck: bottleneck === null ? null : { name: bottleneck.bottleneck, text: bottleneck.text },
    // The objectives of a search bound any quantile of several figures, not this one alone.
    objectiveP95Ms: null,
    planPerSecond: limits.planRatePerSecond,
    // What is fitted is a curve over jobs in flight, which has no rate that was offered.
    fit: [],
  };
}

/** Steps as fast as connections go have no rate that was offered, and no place on the curve. */
function pointOf(step: CapacityStep): CapacityPoint[] {
  const { ratePerSecond, achievedPerSecond, latencyMs, outcome } = step;
  if (ratePerSecond === null) return [];
  const p95Ms = latencyMs?.p95 ?? null;
  return [{ offeredPerSecond: ratePerSecond, achievedPerSecond, p95Ms, outcome }];
}

function isBeyondKnee({ outcome, ratePerSecond, achievedPerSecond }: CapacityStep): boolean {
  if (outcome !== "fail" || ratePerSecond === null || achievedPerSecond === null) return false;
  return achievedPerSecond < ratePerSecond * KNEE_SHARE;
}
