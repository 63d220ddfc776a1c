/** How many requests it takes to see what is to be seen: counts that depend on no machine. */

import { expect, it } from "vitest";
import type { Target } from "../../contract/target.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { simulateProbe } from "../../simulation/simulated-probe.ts";
import { samplesOf } from "./probe/samples.ts";

const seed = 5;
const RATE = 100;
const DURATION_MS = 20_000;

/** Polling as the specification advises takes six and more. Spec §8. */
const REQUESTS_A_JOB_MAX = { withWebhooks: 2.05, without: 4 };

function loaded(webhooks: boolean): (target: Target) => Target {
  return (target) => ({
    ...target,
    embedded: false,
    budget: { jobs: 10_000, credits: null, usd: null },
    webhook: webhooks ? target.webhook : null,
    load: target.load && {
      ...target.load,
      jobsPerSecond: RATE,
      durationMs: DURATION_MS,
      mix: { success: 1 },
    },
  });
}

it.each([
  ["a webhook", true, REQUESTS_A_JOB_MAX.withWebhooks],
  ["polls alone", false, REQUESTS_A_JOB_MAX.without],
] as const)("sees the end of a job under load by %s in few requests", async (_, webhooks, most) => {
  const target = loaded(webhooks);
  const only = ["load.no-losses"] as const;
  const { measurements } = await simulateGate({ seed, profile: "soak", only: [...only], target });
  const [load] = measurements.load ?? [];
  expect(load).toMatchObject({ completed: (RATE * DURATION_MS) / 1_000 });
  expect(load).toHaveProperty("requestsPerJob");
  expect((load as unknown as { requestsPerJob: number }).requestsPerJob).toBeLessThanOrEqual(most);
});

/** Ours: as many as its default canaries take, and a little more. */
const POLLS_A_TRANSITION_MAX = 2;
/** Ours: as many as it has with seven canaries, and a little more. */
const SERIES_MAX = 1_500;

it("tells a transition in few polls, and all of a probe in so many series", async () => {
  const { metrics } = await simulateProbe({ seed, durationMs: 3_600_000 });
  const sum = (name: RegExp) => samplesOf(metrics, name).reduce((all, { value }) => all + value, 0);
  const polls = sum(/^plumbline_http_request_duration_seconds_count\{.*route="\/v1\/jobs\/\{/);
  const transitions = sum(/^plumbline_job_transition_seconds_count\{/);
  expect(transitions).toBeGreaterThan(200);
  expect(polls / transitions).toBeLessThanOrEqual(POLLS_A_TRANSITION_MAX);
  expect(samplesOf(metrics, /^plumbline_/).length).toBeLessThanOrEqual(SERIES_MAX);
});
