/** What the page shows of a capacity search: plain data, which its result is turned to. */

import type { CapacityEstimate, CapacityResult, CapacityStep } from "./capacity-model.ts";

export interface CapacityCurve {
  baseUrl: string;
  startedAt: string;
  /** "jobs", "requests to GET /v1/me". */
  unit: string;
  /** The answer in a sentence. */
  summary: string;
  /** What a planner should know beside it. */
  notes: readonly string[];
  points: readonly CapacityPoint[];
  estimate: Pick<CapacityEstimate, "perSecond" | "low" | "high"> | null;
  /** Where more offered no longer brings more; null where that was not reached. */
  kneePerSecond: number | null;
  bottleneck: CapacityResult["bottleneck"];
  /** What the plans of the keys have room for. */
  planPerSecond: number | null;
}

export interface CapacityPoint extends Pick<CapacityStep, "achievedPerSecond" | "outcome"> {
  offeredPerSecond: number;
  p95Ms: number | null;
}

/** Ours: less than this share of what was offered gets done only beyond the knee. */
const KNEE_SHARE = 0.97;

export function capacityCurve(result: CapacityResult): CapacityCurve {
  const { target, startedAt, estimate, bottleneck, limits, steps, subject, summary, notes } =
    result;
  return {
    baseUrl: target.baseUrl,
    startedAt,
    unit: result.of === "jobs" ? "jobs" : `requests to ${subject.endpoint ?? "it"}`,
    summary,
    notes,
    points: steps.flatMap(pointOf),
    estimate,
    kneePerSecond: estimate !== null && steps.some(isBeyondKnee) ? estimate.perSecond : null,
    bottleneck,
    planPerSecond: limits.planRatePerSecond,
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
