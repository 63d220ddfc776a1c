/** On a machine that is too busy to answer in time, what it did itself is held against nobody. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { MachineLag } from "../../../probe/operation/machine-lag.ts";
import { doubted } from "../../../probe/operation/runs/doubt.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { fakeClock } from "../fake-clock.ts";
import { canary, open } from "../open-probe.ts";

/** Ours: longer than a fiftieth of the 10 s in which a webhook is to be answered. Spec §6. */
const STALL_MS = 300;

/**
 * Takes the processor from probe and service, which share this thread, as soon as a job's first
 * webhook is sent: its answer is there, but nobody reads it in time.
 */
function stallAfterFirstWebhooks(): void {
  const seen = new Set<string>();
  const stall = (message: unknown) => {
    const { path } = (message as { request: { path: string } }).request;
    if (path.startsWith("/v1/") || seen.has(path)) return;
    seen.add(path);
    const untilMs = performance.now() + STALL_MS;
    while (performance.now() < untilMs);
  };
  subscribe("undici:request:bodySent", stall);
  onTestFinished(() => void unsubscribe("undici:request:bodySent", stall));
}

it(
  covers(
    "deliveries that came again as nobody had time to take the answer break nothing",
    "39 probe",
  ),
  async () => {
    const parts = ["success", "failure", "list", "empty", "timeout"] as const;
    const canaries = parts.map((part) => canary(part, { webhook: true, deadlineMs: 60_000 }));
    const { probe, sample } = await open({ canaries });
    const deliveries = (outcome: string) => sample(new RegExp(`_deliveries_total.*"${outcome}"`));
    stallAfterFirstWebhooks();
    await probe.once();
    const all = { timeout: 60_000 };
    await expect.poll(() => deliveries("first"), all).toBe(canaries.length);
    await expect.poll(() => deliveries("repeated"), all).toBeGreaterThan(0);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(0);
  },
);

describe("a request that failed", () => {
  const verdict = { outcome: "http_error", why: "no response", end: null, mayCost: true } as const;
  const failed: Exchange = {
    method: "GET",
    route: "job",
    path: "/v1/jobs/job_1",
    key: "main",
    requestBody: null,
    status: 0,
    headers: {},
    body: "",
    error: "timeout",
    sentAtMs: 1_000_000,
    receivedAtMs: 1_010_000,
  };
  const answered = { ...failed, status: 500, error: null };

  it.each([
    ["while the machine stood still says nothing of the service", failed, 3_000, "probe_error"],
    ["on a machine with time to spare is the service's", failed, 200, "http_error"],
    ["by an answer is the service's, however late", answered, 3_000, "http_error"],
  ] as const)("%s", async (_, exchange, lagMs, outcome) => {
    const lag = new MachineLag(fakeClock(), async () => [], 10);
    lag.note(lagMs);
    const run = { polls: [exchange], submission: null };
    expect((await doubted({ lag }, run, verdict)).outcome).toBe(outcome);
  });
});

it("a lag is remembered for as long as something may be judged by it", async () => {
  const clock = fakeClock();
  const heard = () => ({ fromMs: clock.nowMs() - 20, toMs: clock.nowMs(), lagMs: 20 });
  const lag = new MachineLag(clock, async () => [heard()], 10);
  const startMs = clock.nowMs();
  lag.note(500);
  clock.advance(600_000);
  expect(await lag.since(startMs)).toBe(500);
  expect(await lag.since(startMs + 60_000)).toBe(20);
});
