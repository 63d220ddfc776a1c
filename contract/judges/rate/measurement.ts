/** The figures of one key for the report: estimates with intervals, information beside verdicts. */

import type { Json } from "../../verdict.ts";
import type { Interval } from "./estimate.ts";
import { estimateBurst, estimateLimiter } from "./estimate.ts";
import type { KeyTrial } from "./trial.ts";
import { allShots, spanSeconds } from "./trial.ts";

export function measurementOf(trial: KeyTrial): Json {
  const { key, plan, limit, drain, volleys } = trial;
  const estimate = drain === null ? null : estimateLimiter(drain, limit);
  const burst = estimateBurst(volleys, limit, estimate?.kind);
  const shots = allShots(trial);
  return {
    key,
    plan,
    declared: { sustained: limit.sustained, burst: limit.burst },
    sustained: estimate?.sustained ? rounded(estimate.sustained) : null,
    burst: burst === null ? null : rounded(burst),
    algorithm: estimate?.kind ?? "unknown",
    requests: shots.length,
    seconds: Math.round(spanSeconds(shots) * 10) / 10,
  };
}

/** A bound that is not known is null, as JSON has no word for infinity. */
function rounded({ value, low, high }: Interval): Json {
  const round = (figure: number): number => Math.round(figure * 1_000) / 1_000;
  const isBounded = Number.isFinite(high);
  return { value: round(value), low: round(low), high: isBounded ? round(high) : null };
}
