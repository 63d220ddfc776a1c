/** Runs the probe with many jobs in flight, or undici alone, against a service of little cost. */

import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";

const FOLDER = path.join(import.meta.dirname, "../test/probe/in-flight");
/** The published package carries JavaScript: what stripping types takes is not the probe's. */
const env = { ...process.env, NODE_COMPILE_CACHE: path.join(tmpdir(), "plumbline-compile-cache") };

/** Calls with a port on which the service listens meanwhile. */
export async function withLightService(use: (port: number) => Promise<void>): Promise<void> {
  const service = fork(path.join(FOLDER, "light-service.ts"));
  const [port] = (await once(service, "message")) as [number];
  try {
    await use(port);
  } finally {
    service.disconnect();
  }
}

/** What the script tells, a line each. */
function linesOf(script: string, args: readonly number[]): readonly unknown[] {
  const command = [path.join(FOLDER, script), ...args.map(String)];
  const { stdout, status } = spawnSync(process.execPath, command, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const bare = z.object({ cpuMicrosecondsPerRequest: z.number() });

/** Processor time of a request, in microseconds. */
export function bareRequestUs(port: number, perSecond: number, seconds: number): number {
  const [line] = linesOf("bare.ts", [port, perSecond, seconds]);
  return bare.parse(line).cpuMicrosecondsPerRequest;
}

const followed = z.object({
  failures: z.number(),
  cpuMicrosecondsPerPoll: z.number(),
  cpuPercent: z.number(),
  rssMaxMb: z.number(),
  startErrorMs: z.object({ p99: z.number() }),
  renderMs: z.number(),
  loopDelayP99Ms: z.number(),
});

/** Of each of so many windows, with so many jobs that are polled once a second. */
export function followedJobs(
  port: number,
  jobs: number,
  seconds: number,
  windows: number,
): readonly z.infer<typeof followed>[] {
  const lines = linesOf("followed.ts", [port, jobs, seconds, 1_000, windows]);
  return lines.map((line) => followed.parse(line));
}
