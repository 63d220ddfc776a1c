/** A key's trial with what several promises are judged by, worked out once. */

import type { Tolerances } from "../../run-plan.ts";
import type { Excess } from "./admissions.ts";
import { largestExcess, readsOf, watchedReads } from "./admissions.ts";
import type { LimiterEstimate } from "./estimate.ts";
import { estimateLimiter } from "./estimate.ts";
import type { KeyTrial, Watch } from "./trial.ts";

interface Measures {
  /** null where the key was not pressed. */
  limiter: LimiterEstimate | null;
  /** null where no span of time holds more than the limit allows. */
  excess: Excess | null;
}

export type MeasuredTrial = KeyTrial & Measures;
export type MeasuredWatch = Watch & Pick<Measures, "excess"> & Pick<LimiterEstimate, "refill">;

export function measured(trial: KeyTrial, tolerances: Tolerances): MeasuredTrial {
  const { drain, limit } = trial;
  const limiter = drain === null ? null : estimateLimiter(drain, limit);
  return {
    ...trial,
    limiter,
    excess: largestExcess(readsOf(trial), limit, tolerances, limiter?.refill),
  };
}

/** `trials` tell how the key's limiter refills. */
export function measuredWatch(
  watch: Watch,
  tolerances: Tolerances,
  trials: readonly MeasuredTrial[],
): MeasuredWatch {
  const { refill = null } = trials.find(({ key }) => key === watch.key)?.limiter ?? {};
  const excess = largestExcess(watchedReads(watch), watch.limit, tolerances, refill);
  return { ...watch, refill, excess };
}
