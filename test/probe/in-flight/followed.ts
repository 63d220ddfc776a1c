/**
 * The probe with many jobs in flight, each polled every second, and its metrics scraped: a line
 * with what that takes for each of so many windows of time.
 */

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { keepHeapSmall } from "../../../cli/small-heap.ts";
import { createSystemClock } from "../../../clock/system-clock.ts";
import { Secret } from "../../../contract/text/secret.ts";
import { createClient } from "../../../http/client.ts";
import { canariesOf } from "../../../probe/canary/canary.ts";
import { createPacedClient } from "../../../probe/client/paced-client.ts";
import { Pacer } from "../../../probe/client/pacer.ts";
import type { ProbeEvent } from "../../../probe/events.ts";
import { openJournal } from "../../../probe/journal/journal.ts";
import { initialiseCanaries, initialiseMetrics } from "../../../probe/metrics/initial.ts";
import { recordEvent } from "../../../probe/metrics/record.ts";
import { createMetrics } from "../../../probe/metrics/registry.ts";
import { newPriceList } from "../../../probe/operation/costs/price-list.ts";
import { Knowledge } from "../../../probe/operation/knowledge.ts";
import { MachineLag } from "../../../probe/operation/machine-lag.ts";
import { startRun } from "../../../probe/operation/runs/canary-run.ts";
import type { Parts } from "../../../probe/operation/runs/run.ts";
import type { PollPlan } from "../../../probe/polls/placement.ts";
import { BASE_TARGET, key } from "../../gate/base-target.ts";

keepHeapSmall();
const given = process.argv.slice(2).map(Number);
const [port, jobs, seconds, POLL_MS, windows = 1] = given as [number, number, number, number];
const DEADLINE_MS = 3_600_000;
/** Submissions are spread, so that polls are. */
const SUBMIT_MS = Math.max(5_000, jobs * 6);

/** Polls at a fixed interval, in place of those that are learnt. */
class AtIntervals extends Knowledge {
  readonly #plan: PollPlan = {
    timesMs: Array.from({ length: DEADLINE_MS / POLL_MS }, (_, index) => index * POLL_MS),
    next: [[], Array.from({ length: DEADLINE_MS / POLL_MS }, (_, index) => index + 1)],
  };

  override pollPlan(): PollPlan {
    return this.#plan;
  }
}

const target = {
  ...BASE_TARGET,
  baseUrl: `http://127.0.0.1:${port}`,
  workers: { slow: { id: "sleep", input: { seconds: 3_600 } } },
  canaries: [
    {
      name: "slow",
      part: "slow",
      everyMs: 1_000,
      jitterShare: 0,
      deadlineMs: DEADLINE_MS,
      webhook: false,
      expect: null,
      overlapMax: jobs,
    } as const,
  ],
};
const clock = createSystemClock();
const metrics = createMetrics({ location: "in-flight" }, () => 0, false);
initialiseMetrics(metrics, { version: "0.0.0", cancelMethod: null });
const canaries = canariesOf(target);
initialiseCanaries(metrics, canaries);
const startedAt = new Map<string, number>();
const lateness: number[] = [];
let [failures, measuring] = [0, false];
const emit = (event: ProbeEvent) => {
  recordEvent(metrics, event);
  if (event.type !== "request") return;
  const { route, path, sentAtMs, status, body } = event.exchange;
  if (status < 200 || status > 299) failures += 1;
  if (route === "submit") startedAt.set(JSON.parse(body).job_uuid, sentAtMs);
  if (route !== "job" || !measuring) return;
  const sinceMs = sentAtMs - (startedAt.get(path.slice("/v1/jobs/".length)) ?? Number.NaN);
  lateness.push(sinceMs % POLL_MS);
};
const stateDir = mkdtempSync(join(tmpdir(), "plumbline-in-flight-"));
const journal = openJournal({
  stateDir,
  baseUrl: target.baseUrl,
  clock,
  redact: (text) => text,
  onFailure: () => {},
  onRecovered: () => {},
  onTightened: () => {},
  acceptUnknownSpending: false,
});
const stop = new AbortController();
const limits = { plan: "enterprise", sustained: 20 * jobs, burst: 20 * jobs } as const;
const parts: Parts = {
  target,
  clock,
  newId: randomUUID,
  client: createPacedClient({
    traceOf: null,
    client: createClient(target.baseUrl, { nowMs: clock.nowMs, connectionsMax: 64 }),
    key: { name: "k", value: new Secret("k") },
    pacer: new Pacer(key("k", limits), 1),
    clock,
    emit,
  }),
  journal,
  desk: null,
  knowledge: new AtIntervals(),
  prices: newPriceList(),
  lag: new MachineLag(clock, async () => [], 10),
  emit,
  requestsPerJob: Number.MAX_SAFE_INTEGER,
  signal: stop.signal,
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const beganMs = clock.nowMs();
for (let job = 0; job < jobs; job += 1) {
  const dueMs = beganMs + (job / jobs) * SUBMIT_MS;
  if (dueMs > clock.nowMs()) await pause(dueMs - clock.nowMs());
  for (const canary of canaries) void startRun(parts, canary, { day: null, month: null });
}
while (startedAt.size < jobs) await pause(100);
await pause(2 * POLL_MS);
measuring = true;
/** Ours: a scrape every so often, as of a Prometheus in a hurry. */
const SCRAPE_SECONDS = 5;
const LOOP_RESOLUTION_MS = 10;
const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
loop.enable();
for (let window = 0; window < windows; window += 1) {
  process.stdout.write(`${JSON.stringify({ jobs, ...(await watchWindow()) })}\n`);
}
stop.abort();
rmSync(stateDir, { recursive: true, force: true });
process.exit();

async function watchWindow() {
  const [cpu, atMs] = [process.cpuUsage(), clock.nowMs()];
  const renders: number[] = [];
  let rssMax = 0;
  lateness.length = 0;
  failures = 0;
  loop.reset();
  for (let second = 0; second < seconds; second += 1) {
    await pause(1_000);
    rssMax = Math.max(rssMax, process.memoryUsage.rss());
    if (second % SCRAPE_SECONDS === 0) renders.push(await scrapeMs());
  }
  const used = process.cpuUsage(cpu);
  const elapsedMs = clock.nowMs() - atMs;
  lateness.sort((a, b) => a - b);
  const quantile = (q: number) =>
    Number((lateness[Math.floor(q * lateness.length)] ?? 0).toFixed(1));
  const loopDelayMs = loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS;
  return {
    pollsPerSecond: Math.round(lateness.length / (elapsedMs / 1_000)),
    failures,
    cpuMicrosecondsPerPoll: Math.round((used.user + used.system) / lateness.length),
    cpuPercent: Number(((used.user + used.system) / 10 / elapsedMs).toFixed(1)),
    rssMaxMb: Math.round(rssMax / 2 ** 20),
    startErrorMs: { p50: quantile(0.5), p99: quantile(0.99), max: quantile(0.99999) },
    renderMs: Number(Math.max(...renders).toFixed(1)),
    loopDelayP99Ms: Number(Math.max(0, loopDelayMs).toFixed(1)),
  };
}

async function scrapeMs(): Promise<number> {
  const beganMs = performance.now();
  await metrics.scrape("");
  return performance.now() - beganMs;
}
