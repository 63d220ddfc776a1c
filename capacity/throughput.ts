/** What a service completes while more is offered: a first guess at its capacity. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { completedPerPeriod, intervalOf } from "./course.ts";

/** Ours: fewer intervals are counted too coarsely. */
const INTERVALS_MIN = 4;
/** Ours: nearer to what was offered there was no overload to speak of. */
const OVERLOAD_SHARE = 0.97;

/** Jobs, or requests, a second; null where the step was no overload, or is too short. */
export function overloadThroughput(step: CapacityStep): number | null {
  if (step.outcome !== "fail") return null;
  const [failure] = step.failures;
  return failure?.bottleneck === "limiter" ? admittedPerSecond(step) : completedInOverload(step);
}

function admittedPerSecond({ sent, refused429, measuredSeconds }: CapacityStep): number | null {
  return measuredSeconds === 0 || refused429 === 0 ? null : (sent - refused429) / measuredSeconds;
}

function completedInOverload(step: CapacityStep): number | null {
  const perSecond = completedPerPeriod(step) ?? completedPerSecond(step);
  const isLess = perSecond !== null && perSecond < (step.ratePerSecond ?? 0) * OVERLOAD_SHARE;
  return isLess && perSecond > 0 ? perSecond : null;
}

/** Since the first job ended. */
function completedPerSecond(step: CapacityStep): number | null {
  const { points, seconds, ratePerSecond, latencyMs } = step;
  if (ratePerSecond === null) return null;
  const fromSeconds = step.measuredSeconds === seconds ? firstEnd(step) : seconds / 3;
  const interval = intervalOf(points);
  const inside = points.filter(({ atSeconds }) => {
    return atSeconds >= fromSeconds && atSeconds + interval <= seconds;
  });
  if (latencyMs === null || inside.length < INTERVALS_MIN) return null;
  const sum = inside.reduce((total, { completedPerSecond }) => total + completedPerSecond, 0);
  return sum / inside.length;
}

/** When the service has filled up, as far as ends tell. */
function firstEnd({ points }: CapacityStep): number {
  const first = points.find(({ completedPerSecond }) => completedPerSecond > 0);
  return (first?.atSeconds ?? 0) + intervalOf(points);
}
