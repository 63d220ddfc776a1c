/** How many requests a completed job of a load takes, on virtual time: counts of no machine. */

import type { Target } from "../../contract/target.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

const RATE = 100;
const DURATION_MS = 20_000;

/** Polling as the specification advises takes six and more. Spec §8. */
export const REQUESTS_A_JOB_MAX = { withWebhooks: 2.05, without: 4 };

const loaded = (hasWebhooks: boolean) => (target: Target) => ({
  ...target,
  embedded: false,
  budget: { jobs: 10_000, credits: null, usd: null },
  webhook: hasWebhooks ? target.webhook : null,
  load: target.load && {
    ...target.load,
    jobsPerSecond: RATE,
    durationMs: DURATION_MS,
    mix: { success: 1 },
  },
});

/** Throws where a job did not complete. */
export async function requestsPerJob(seed: number, hasWebhooks: boolean): Promise<number> {
  const { measurements } = await simulateGate({
    seed,
    profile: "soak",
    only: ["load.no-losses"],
    target: loaded(hasWebhooks),
  });
  const [load] = measurements.load ?? [];
  const { completed, requestsPerJob: told } = load as unknown as Record<string, number>;
  const due = (RATE * DURATION_MS) / 1_000;
  if (completed !== due || told === undefined) throw new Error(`${completed} of ${due} completed`);
  return told;
}
