/**
 * The times that a target promises, in its own milliseconds. This is the one place that knows of
 * test services whose clocks run fast: whoever waits, judges or reports reads these.
 */

import type { PromisedTimes, RunPlan, Tolerances } from "../run/run-plan.ts";
import { DEFAULT_TOLERANCES } from "../run/run-plan.ts";
import { WEBHOOK_ANSWER_LIMIT_MS, WEBHOOK_RETRY_WAITS_MS } from "../webhook-schedule.ts";

export interface Promising {
  /** The share of the stated times that passes; 1 on a service in real time. */
  timeScale: number;
  tolerances: Tolerances;
}

export function promisedTimes({ timeScale, tolerances }: Promising): PromisedTimes {
  const { webhookWaitEarlyMs, webhookWaitLateMs, webhookWaitLateShare } = tolerances;
  const wait = (statedMs: number) => ({
    promisedMs: statedMs * timeScale,
    earliestMs: (statedMs - webhookWaitEarlyMs) * timeScale,
    latestMs: (statedMs + Math.max(webhookWaitLateMs, statedMs * webhookWaitLateShare)) * timeScale,
  });
  const [first, second, third] = WEBHOOK_RETRY_WAITS_MS;
  return {
    secondMs: 1_000 * timeScale,
    webhookWaits: [wait(first), wait(second), wait(third)],
    webhookAnswerMs: WEBHOOK_ANSWER_LIMIT_MS * timeScale,
    limitTolerance: {
      earlyMs: tolerances.timeoutEarlyMs * timeScale,
      lateMs: tolerances.timeoutLateMs * timeScale,
      lateShare: tolerances.timeoutLateShare,
    },
  };
}

/** Ours: the run limit that is taken for that of a worker that tells none. */
export const RUN_LIMIT_DEFAULT_SECONDS = 60;

export const REAL_TIMES = promisedTimes({ timeScale: 1, tolerances: DEFAULT_TOLERANCES });

/** What a time takes on the target that is stated, or is ours and goes by what is stated. */
export function ownMs({ secondMs }: PromisedTimes, statedMs: number): number {
  return (statedMs / 1_000) * secondMs;
}

/** Real milliseconds in which the operator expects every job to end; null: none are told. */
export function endWithin({ tolerances, times }: Pick<RunPlan, "tolerances" | "times">) {
  const { endWithinMs } = tolerances;
  return endWithinMs === null ? null : ownMs(times, endWithinMs);
}
