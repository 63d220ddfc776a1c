/** How often to ask for a job. Spec §8, "Recommended polling interval". */

import type { PromisedTimes } from "../run/run-plan.ts";

/** Advised wait between two polls, by the estimated duration of the job; in stated seconds. */
function pollSeconds(estimatedSeconds: number): number {
  if (estimatedSeconds < 5) return 1;
  if (estimatedSeconds < 30) return 2;
  if (estimatedSeconds < 300) return 5;
  return 10;
}

/** The same in the target's milliseconds. */
export function pollIntervalMs(
  { secondMs }: Pick<PromisedTimes, "secondMs">,
  estimatedDurationMs: number,
): number {
  return pollSeconds(estimatedDurationMs / secondMs) * secondMs;
}
