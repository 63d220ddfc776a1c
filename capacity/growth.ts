/** Whether jobs in flight grow, and how much growth a step, or several, may have hidden. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { RESOLUTION } from "./estimate.ts";
import type { Slope } from "./slope.ts";
import { normalQuantile, tExceededWith } from "./statistics/distributions.ts";

/** Ours: slower growth is less than what the search resolves; chance shows more this seldom. */
const GROWTH = { shareMax: RESOLUTION, jobsMax: 2, chance: 0.025 };

/** What a run tells of growth, in jobs a second. */
type Growth = Pick<Slope, "perSecond" | "error">;

export function grows(
  { perSecond, error, freedom }: Omit<Slope, "start" | "end">,
  rate: number,
  seconds: number,
): boolean {
  const least = Math.max(GROWTH.shareMax * rate, GROWTH.jobsMax / Math.max(1, seconds));
  return perSecond > least && perSecond > error * tExceededWith(GROWTH.chance, freedom);
}

/**
 * Ours: a backlog that may have grown by so much was not kept either, however it jumped. A step
 * that only looks for the range may know that a little worse.
 */
const UNSTEADY_SHARE = { range: 0.05, full: 0.04 };

/** True of a step that was too short to say whether the backlog grows. */
export function isUnsteady({ outcome, generator }: CapacityStep): boolean {
  return outcome === "withdrawn" && generator.doubtKind === "unsteady";
}

/** Why nobody can say whether the backlog grows; null where that can be said. */
export function unsteadiness(step: CapacityStep): string | null {
  const { phase, backlog, ratePerSecond, measuredSeconds } = step;
  if (backlog === null || ratePerSecond === null) return null;
  const { slopePerSecond, slopeError } = backlog;
  const least = phase === "search" ? UNSTEADY_SHARE.range : UNSTEADY_SHARE.full;
  if (slopePerSecond <= least * ratePerSecond) return null;
  const [grew, error] = [slopePerSecond.toFixed(1), slopeError.toFixed(1)];
  const span = `within ${measuredSeconds.toFixed(0)} s`;
  return `the backlog grew by ${grew} jobs a second, give or take ${error}, ${span}`;
}

/** The last steps in a row at this rate that could not say whether the backlog grows. */
export function unsteadyBefore(steps: readonly CapacityStep[], rate: number): CapacityStep[] {
  const isOther = (step: CapacityStep) => step.ratePerSecond !== rate || !isUnsteady(step);
  return steps.slice(steps.findLastIndex(isOther) + 1);
}

/** Each alone may be too short; what all of them show is known better. Weighted by precision. */
export function togetherWith(slope: Slope, before: readonly CapacityStep[]): Slope {
  const all = [slope, ...before.flatMap((step) => growthOf(step) ?? [])];
  const mean = meanGrowth(all);
  return mean === null || all.length === 1 ? slope : { ...slope, ...mean };
}

function growthOf({ backlog }: CapacityStep): Growth | null {
  if (backlog === null) return null;
  return { perSecond: backlog.slopePerSecond, error: backlog.slopeError };
}

/** Null where one of them states no error: it needs no others. */
function meanGrowth(growths: readonly Growth[]): Growth | null {
  if (growths.some(({ error }) => error === 0)) return null;
  const weight = growths.reduce((sum, { error }) => sum + 1 / error ** 2, 0);
  const sum = growths.reduce((total, { perSecond, error }) => total + perSecond / error ** 2, 0);
  return { perSecond: sum / weight, error: 1 / Math.sqrt(weight) };
}

/** Ours: growth beyond what is told is that seldom. */
const HIDDEN_CHANCE = 0.05;

/**
 * By which share of the rate the backlog may have grown, unseen, in the runs within these rates
 * that were kept, or said nothing: their mean growth and its upper confidence bound. At least what
 * no run resolves.
 */
export function hiddenGrowth(
  steps: readonly CapacityStep[],
  { low, high }: { low: number; high: number },
): number {
  const shares = steps.flatMap((step) => {
    const [growth, rate] = [growthOf(step), step.ratePerSecond ?? 0];
    const isNear = step.phase !== "search" && rate >= low && rate <= high;
    if (growth === null || !isNear || !(step.outcome === "pass" || isUnsteady(step))) return [];
    // However even a backlog is, less than half of the resolution is not known.
    const error = Math.max(growth.error / rate, RESOLUTION / 2);
    return [{ perSecond: growth.perSecond / rate, error }];
  });
  const mean = shares.length === 0 ? null : meanGrowth(shares);
  if (mean === null) return RESOLUTION;
  const upper = mean.perSecond + mean.error * normalQuantile(1 - HIDDEN_CHANCE);
  return Math.min(1, Math.max(RESOLUTION, upper));
}
