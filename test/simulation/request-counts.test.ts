/** How many requests it takes to see what is to be seen: counts that depend on no machine. */

import { expect, it } from "vitest";
import { simulateProbe } from "../../simulation/simulated-probe.ts";
import { samplesOf } from "./probe/samples.ts";
import { REQUESTS_A_JOB_MAX, requestsPerJob } from "./requests-per-job.ts";

const seed = 5;
it.each([
  ["a webhook", true, REQUESTS_A_JOB_MAX.withWebhooks],
  ["polls alone", false, REQUESTS_A_JOB_MAX.without],
] as const)("sees the end of a job under load by %s in few requests", async (_, webhooks, most) => {
  expect(await requestsPerJob(seed, webhooks)).toBeLessThanOrEqual(most);
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
