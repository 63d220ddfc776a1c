/** How often to ask for a job. Spec §8, "Recommended polling interval". */

/** Advised wait between two polls, by the estimated duration of the job. */
export function pollIntervalMs(estimatedDurationMs: number): number {
  if (estimatedDurationMs < 5_000) return 1_000;
  if (estimatedDurationMs < 30_000) return 2_000;
  if (estimatedDurationMs < 300_000) return 5_000;
  return 10_000;
}
