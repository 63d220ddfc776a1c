/** k6 posts its metrics by remote write, labelled, and with the caller's own credentials. */

import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { hasFailedToSend } from "../../runner/remote-write.ts";
import { startMetricsReceiver } from "./metrics-receiver.ts";
import { sampleRun } from "./sample-run.ts";
import { ENDED, REGISTERED, scriptFile } from "./script-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function runSample(url: string) {
  const folder = await temporaryFolder();
  return await sampleRun({
    script: await scriptFile(folder, [REGISTERED(["auth.missing-key"]), ENDED]),
    outputDir: path.join(folder, "out"),
    remoteWrite: { url, run: "run-of-the-test", labels: { commit: "4f1c", run: "another" } },
  });
}

afterEach(() => {
  delete process.env.K6_PROMETHEUS_RW_BEARER_TOKEN;
});

it("posts what Prometheus reads, labelled by run and scenario", async () => {
  process.env.K6_PROMETHEUS_RW_BEARER_TOKEN = "token-of-the-test";
  const { url, posts } = await startMetricsReceiver(204);
  const run = await runSample(url);
  expect(run.exitCode).toBe(0);
  expect(posts.length).toBeGreaterThan(0);
  const [post] = posts;
  expect(post?.url).toBe("/api/v1/write");
  expect(post?.headers).toMatchObject({
    "content-type": "application/x-protobuf",
    "content-encoding": "snappy",
    authorization: "Bearer token-of-the-test",
  });
  const series = posts.flatMap((each) => each.series);
  for (const { labels } of series) {
    expect(labels).toMatchObject({ run: "run-of-the-test", commit: "4f1c" });
  }
  // What belongs to no iteration has the label as it was given; the sample names no k6 scenario.
  const names = new Set(series.map(({ labels }) => labels.scenario));
  expect([...names].toSorted()).toEqual(["default", "sample"]);
  const iterations = series.filter((each) => each.labels.__name__ === "k6_iterations_total");
  expect(Math.max(...iterations.flatMap(({ values }) => values).filter(Number.isFinite))).toBe(1);
  expect(hasFailedToSend(run.stderrTail)).toBe(false);
});

it("goes on and says so where its metrics are refused", async () => {
  const { url } = await startMetricsReceiver(403);
  const run = await runSample(url);
  expect(run).toMatchObject({ exitCode: 0, timedOut: false });
  expect(run.records.map(({ type }) => type)).toEqual(["registered", "ended"]);
  expect(hasFailedToSend(run.stderrTail)).toBe(true);
});
