/**
 * How many requests a completed job of a load takes, on virtual time: counts, which no machine
 * changes. Polling as the specification advises takes six and more. Spec §8.
 *
 * npm run bench -- --only requests
 */

import type { Target } from "../contract/target.ts";
import { simulateGate } from "../simulation/simulated-gate.ts";
import { measure } from "./row.ts";

const RATE = 100;
const DURATION_MS = 20_000;

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

async function requestsPerJob(seed: number, hasWebhooks: boolean): Promise<number> {
  const { measurements } = await simulateGate({
    seed,
    profile: "soak",
    only: ["load.no-losses"],
    target: loaded(hasWebhooks),
  });
  const [load] = measurements.load ?? [];
  const { requestsPerJob: told } = load as unknown as { requestsPerJob: number };
  return told;
}

for (const [name, subject, hasWebhooks, atMost] of [
  ["requests-webhooks", "a load with webhooks", true, 2.05],
  ["requests-polls", "a load without", false, 4],
] as const) {
  let seed = 0;
  await measure({
    figures: [{ name, what: "requests a completed job", goal: { atMost } }],
    subject,
    peer: null,
    warmsUp: false,
    measureSubject: async () => {
      seed += 1;
      return [await requestsPerJob(seed, hasWebhooks)];
    },
  });
}
