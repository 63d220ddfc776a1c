/** A key's trial with what several promises are judged by, worked out once. */

import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import type { Excess } from "./admissions.ts";
import { largestExcess, readsOf, watchedReads } from "./admissions.ts";
import type { LimiterEstimate } from "./estimate.ts";
import { estimateLimiter } from "./estimate.ts";
import type { Refill } from "./refill.ts";
import { isRefilledEvenly, longestSteps } from "./refill.ts";
import { isSkipping } from "./skipped.ts";
import type { KeyTrial, Watch } from "./trial.ts";

interface Measures {
  /** Steps in which the key's limiter refills, or may, where an overload can't tell; null: none. */
  refill: Refill | null;
  /** Whether it may refill in steps of any size: refused requests count, and nothing told them. */
  isRefillOpen: boolean;
  /** null where the key was not overloaded. */
  limiter: LimiterEstimate | null;
  /** null where no span of time holds more than the limit allows. */
  excess: Excess | null;
}

export type MeasuredTrial = KeyTrial & Measures;
export type MeasuredWatch = Watch & Pick<Measures, "excess" | "refill" | "isRefillOpen">;

export function measured(trial: KeyTrial, tolerances: Tolerances): MeasuredTrial {
  const { drain, limit } = trial;
  const limiter = drain === null ? null : estimateLimiter(drain, limit);
  const reads = readsOf(trial);
  const refill = limiter === null ? null : (limiter.refill ?? untoldRefill(trial, reads));
  const isRefillOpen = refill === null && limiter?.starved === true;
  const excess = largestExcess(reads, limit, tolerances, refill);
  return { ...trial, limiter, refill, isRefillOpen, excess };
}

/**
 * Where refused requests count, hardly any of an overload is admitted, and where the generator left
 * out many, or they came unevenly, no steps are seen: other requests tell more.
 */
function untoldRefill({ drain, limit }: KeyTrial, reads: readonly Exchange[]): Refill | null {
  const overload = drain?.press ?? [];
  const isTold = isRefilledEvenly(overload) && !isSkipping(overload, limit);
  return isTold ? null : longestSteps(reads, limit);
}

/** `trials` tell how the key's limiter refills. */
export function measuredWatch(
  watch: Watch,
  tolerances: Tolerances,
  trials: readonly MeasuredTrial[],
): MeasuredWatch {
  const trial = trials.find(({ key }) => key === watch.key);
  const { refill = null, isRefillOpen = false } = trial ?? {};
  const excess = largestExcess(watchedReads(watch), watch.limit, tolerances, refill);
  return { ...watch, refill, isRefillOpen, excess };
}
