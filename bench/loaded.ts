/** Runs a soak, in a gate of its own process, and tells how it went and what it took. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { reportSchema } from "../report/model.ts";
import { SOURCES } from "../test/cli/main-file.ts";
import { temporaryFolder } from "../test/cli/temporary-folder.ts";
import type { Service } from "../test/soak/service.ts";
import { startService, stopService } from "../test/soak/service.ts";
import type { ProcessorTime } from "./processor-time.ts";
import { watchProcess } from "./processor-time.ts";

const TIME_SCALE = "0.02";
const UNLIMITED = { args: ["--fault", "rate.limited/never"], keyName: "big" };

export interface Load {
  rate: number;
  seconds: number;
  shards?: number;
}

const figures = z.object({
  completed: z.number(),
  submitMs: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
  generator: z.object({ dropped: z.number(), lagP99Ms: z.number() }),
});

export interface Soaked extends z.infer<typeof figures> {
  /** While the load went on, and the jobs were waited for. */
  used: ProcessorTime;
  /** From the end of the generator to the end of the gate, the report written. */
  judgedMs: number;
}

/** Calls with the embedded service without a rate limit, in a process of its own. */
export async function withService<Told>(use: (service: Service) => Promise<Told>): Promise<Told> {
  const service = await startService(TIME_SCALE, "b", UNLIMITED);
  try {
    return await use(service);
  } finally {
    await stopService(service);
  }
}

interface Ran {
  used: ProcessorTime;
  lastChildMs: number;
}

/** Runs a program to its end; its time counts from the first line that says so. */
export async function ran(
  name: string,
  argv: readonly [string, ...string[]],
  env: Record<string, string>,
  begins: RegExp,
): Promise<Ran> {
  const [program, ...rest] = argv;
  const stdio = ["ignore", "ignore", "pipe"] as const;
  const child = spawn(program, rest, { stdio: [...stdio], env: { ...process.env, ...env } });
  const watch = watchProcess(name, child.pid ?? 0);
  let hasBegun = false;
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (!hasBegun && begins.test(line)) watch.begin();
    hasBegun ||= begins.test(line);
  });
  await once(child, "close");
  return { used: watch.end(), lastChildMs: performance.now() - watch.childSeenMs() };
}

export async function soak(service: Service, load: Load): Promise<Soaked> {
  await using folder = await temporaryFolder();
  const file = await folder.write("plumbline.yaml", targetFile(service, load));
  const report = path.join(folder.path, "report");
  const asked = ["--profile", "soak", "--only", "load.no-losses,load.webhooks"];
  const argv = [process.execPath, SOURCES, "gate", "--target", file, ...asked] as const;
  const env = { SOAK_KEY: service.key };
  const run = await ran("gate", [...argv, "--report", report], env, / 0 of \d+ s/);
  const text = await readFile(path.join(report, "report.json"), "utf8");
  const { measurements } = reportSchema.parse(JSON.parse(text));
  const told = figures.parse(measurements.load?.[0]);
  return { ...told, used: run.used, judgedMs: run.lastChildMs };
}

function targetFile({ baseUrl }: Service, { rate, seconds, shards }: Load): string {
  return `target: { baseUrl: "${baseUrl}", timeScale: ${TIME_SCALE} }
keys:
  - { name: big, plan: enterprise, sustained: 20000, burst: 40000, account: one, env: SOAK_KEY }
workers: { success: { id: echo, input: { text: hello }, marker: text } }
webhook: { listen: "127.0.0.1:0" }
load:
  jobsPerSecond: ${rate}
  duration: ${seconds}s
  mix: { success: 1 }
  ${shards === undefined ? "" : `shards: ${shards}`}
budget: { jobs: ${2 * rate * seconds} }
`;
}

/** Of all processes together, in ms. */
export function allMs(used: ProcessorTime): number {
  return [...used.values()].reduce((sum, ms) => sum + ms, 0);
}
