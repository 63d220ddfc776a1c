/** What a webhook's delay counts as, where polls leave open when its job ended. */

import { expect, it } from "vitest";
import { recordEvent } from "../../../probe/metrics/record.ts";
import { createMetrics } from "../../../probe/metrics/registry.ts";

const RUN = { runId: "a-0", canary: "a", workerId: "echo", jobId: "job_0" };

it.each([
  ["between two near bounds by their middle", [11, 13], 12],
  ["after no poll for a minute as if it came at once", [0, 60], 0],
  ["that is late for sure by as much as that", [90, 130], 90],
] as const)("a delay %s", async (_, [low, high], seconds) => {
  const metrics = createMetrics({ location: "delay" }, () => 0, false);
  const delay = { lowMs: low * 1_000, highMs: high * 1_000 };
  recordEvent(metrics, { type: "delivery", run: RUN, outcome: "first", delay });
  const { text } = await metrics.scrape("text/plain");
  const told = (what: string) =>
    new RegExp(`^plumbline_webhook_delay_seconds_${what}\\{.*\\} (.*)$`, "m").exec(text)?.[1];
  expect([told("count"), told("sum")].map(Number)).toEqual([1, seconds]);
});
