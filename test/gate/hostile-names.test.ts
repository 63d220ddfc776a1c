/**
 * The series of a gate run on a service of hostile names: real scenarios in real k6, whose metrics
 * go out by remote write. What names a series is a closed list, however many jobs there are.
 */

import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { gateScenarios } from "../../cli/files/scenario-files.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { runGate } from "../../gate/gate.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import type { K6Binary } from "../../runner/find-k6.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { HOSTILE, startHostileNames } from "../fronts/hostile-front.ts";
import { k6Here } from "../runner/k6-here.ts";
import { startMetricsReceiver } from "../runner/metrics-receiver.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const LIMIT_MS = 600_000;

/** What would end a label, a line, an argument, or a list in any format on the way. */
const RUN = `nightly"} x{a='b',c="d\\", e=f\n# TYPE x_total counter\nx_total 1`;
const COMMIT = `4f1c,"9e2"=\\\n{}--tag=z=1`;

const TIMES = "blocked connecting duration receiving sending tls_handshaking waiting";
const STATISTICS = ["p50", "p95", "p99", "max"];
const METRICS = [
  ...[...TIMES.split(" ").map((time) => `http_req_${time}`), "iteration_duration"].flatMap((of) =>
    STATISTICS.map((statistic) => `${of}_${statistic}`),
  ),
  ..."http_req_failed_rate http_reqs_total data_sent_total data_received_total".split(" "),
  ..."iterations_total vus vus_max plumbline_verdict plumbline_kept_total".split(" "),
].map((name) => `k6_${name}`);

const REQUESTS = `receiver
GET /v1/me
GET /v1/me/credits
GET /v1/me/deployments
GET /v1/workers
GET /v1/workers/{worker_id}
POST /v1/workers/{worker_id}/publish
POST /v1/workers/{worker_id}/jobs
GET /v1/jobs
GET /v1/jobs/{job_uuid}
DELETE /v1/jobs/{job_uuid}`;

/** All labels that a series may have, and all their values. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  __name__: METRICS,
  run: [RUN],
  commit: [COMMIT],
  scenario: ["contract", "contract-again", "soak", "soak-again"],
  promise: PROMISE_IDS,
  shard: ["0"],
  method: ["GET", "POST", "DELETE"],
  name: REQUESTS.split("\n"),
  // None of the service's own: 0 for no answer, and what the reference service says.
  status: "0 200 201 202 204 400 401 402 404 405 409 422 429".split(" "),
  // k6's for these, for a request that is not answered, and for one whose connection ends.
  error_code: "1000 1050 1220 1400 1401 1402 1404 1405 1409 1422 1429".split(" "),
};

/** One of each kind that scenarios read: jobs, their list, workers, errors, webhooks. */
const ONLY = ["job.shape", "job.list-own", "workers.text-filter", "load.no-losses"] as const;

let k6: K6Binary;
beforeAll(async () => {
  k6 = await k6Here();
}, 300_000);

/** Ours: so few that a busy machine offers them as well. */
const JOBS_PER_SECOND = 5;
const loads = z.tuple([z.object({ accepted: z.number() })]).rest(z.unknown());

/**
 * Each series once, of a run under load for so long; and how many jobs its load had. What a busy
 * machine left in doubt is asked once more, by scenarios that have as many series again.
 */
async function seriesOf(durationMs: number) {
  const hostile = await startHostileNames({ timeScale: 0.02 });
  const { target, secrets } = embeddedTarget(hostile.service);
  if (target.load === null) throw new Error("the embedded service has a load");
  const { url, posts } = await startMetricsReceiver(204);
  const { findings, measurements } = await runGate({
    target: {
      ...target,
      baseUrl: hostile.url,
      load: { ...target.load, durationMs, jobsPerSecond: JOBS_PER_SECOND },
    },
    secrets,
    profile: "quick",
    only: ONLY,
    seed: 1,
    outputDir: await temporaryFolder(),
    k6,
    scenarios: gateScenarios(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
    remoteWrite: { url, run: RUN, labels: { commit: COMMIT } },
  });
  // Hostile states and texts were read.
  const told = JSON.stringify(findings.filter(({ verdict }) => verdict === "broken"));
  expect(told).toContain(HOSTILE);
  const sent = posts.flatMap(({ series }) => series.map(({ labels }) => labels));
  const distinct = new Map(sent.map((labels) => [JSON.stringify(labels), labels]));
  const [{ accepted }] = loads.parse(measurements.load);
  return { series: [...distinct.values()], jobs: accepted };
}

const isOfFirstRuns = ({ scenario = "" }: Readonly<Record<string, string>>) =>
  !scenario.endsWith("-again");

function strangersIn(series: readonly Readonly<Record<string, string>>[]): string[] {
  const pairs = series.flatMap((labels) => Object.entries(labels));
  const strange = pairs.filter(([name, value]) => !LABELS[name]?.includes(value));
  return [...new Set(strange.map((pair) => JSON.stringify(pair).slice(0, 200)))];
}

it(covers(
  "names of a run's series are of a closed list, and no more for three times the jobs",
  "46 gate",
  "47 gate",
), { timeout: LIMIT_MS }, async () => {
  const [few, many] = await Promise.all([seriesOf(4_000), seriesOf(12_000)]);
  expect(many.jobs).toBeGreaterThanOrEqual(few.jobs * 2);
  for (const { series } of [few, many]) {
    expect(strangersIn(series)).toEqual([]);
    expect(series.length).toBeGreaterThan(100);
    for (const labels of series) expect(labels).toMatchObject({ run: RUN, commit: COMMIT });
  }
  // A status that only one run has seen adds a series to each metric of that request.
  const [most, least] = [many, few].map(({ series }) => series.filter(isOfFirstRuns).length);
  expect(most).toBeLessThan((least ?? 0) * 1.5);
});
