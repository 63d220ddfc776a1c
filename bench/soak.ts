/**
 * How many jobs a second a soak offers on time, and what a job costs, beside a k6 script by hand
 * of the same requests; on the embedded service without a rate limit, each in a process of its own.
 *
 * npm run bench -- [--rates 100,200,400] [--seconds N] [--shards N]
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { z } from "zod";
import { reportSchema } from "../report/model.ts";
import { findK6 } from "../runner/find-k6.ts";
import type { Service } from "../test/soak/service.ts";
import { startService, stopService } from "../test/soak/service.ts";
import type { ProcessorTime } from "./processor-time.ts";
import { watchProcess } from "./processor-time.ts";

const { values } = parseArgs({
  options: {
    rates: { type: "string", default: "100,200,400" },
    seconds: { type: "string", default: "20" },
    shards: { type: "string" },
  },
});

const MAIN = path.join(import.meta.dirname, "../cli/main.ts");
const PLAIN = path.join(import.meta.dirname, "plain-script.ts");
const SERVICE = { args: ["--fault", "rate.limited/never"], keyName: "big" };
const TIME_SCALE = "0.02";

interface Row {
  who: string;
  completed: number;
  dropped: number;
  /** By how much submissions were late; null where nothing tells. */
  lateP99Ms: number | null;
  /** While the load went on, and the jobs were waited for. */
  used: ProcessorTime;
}

const load = z.object({
  completed: z.number(),
  generator: z.object({ dropped: z.number(), lagP99Ms: z.number() }),
});

/** Runs a program to its end; its time counts from the first line that says so. */
async function run(
  name: string,
  argv: readonly [string, ...string[]],
  env: Record<string, string>,
  begins: RegExp,
): Promise<ProcessorTime> {
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
  return watch.end();
}

async function soak(service: Service, rate: number, folder: string): Promise<Row> {
  const file = path.join(folder, "plumbline.yaml");
  const report = path.join(folder, "report");
  await writeFile(
    file,
    `target: { baseUrl: "${service.baseUrl}", timeScale: ${TIME_SCALE} }
keys:
  - { name: big, plan: enterprise, sustained: 20000, burst: 40000, account: one, env: SOAK_KEY }
workers: { success: { id: echo, input: { text: hello }, marker: text } }
webhook: { listen: "127.0.0.1:0" }
load:
  jobsPerSecond: ${rate}
  duration: ${values.seconds}s
  mix: { success: 1 }
  ${values.shards === undefined ? "" : `shards: ${values.shards}`}
budget: { jobs: ${2 * rate * Number(values.seconds)} }
`,
  );
  const asked = ["--profile", "soak", "--only", "load.no-losses,load.webhooks"];
  const argv = [process.execPath, MAIN, "gate", "--target", file, ...asked] as const;
  const env = { SOAK_KEY: service.key };
  const used = await run("gate", [...argv, "--report", report], env, / 0 of \d+ s/);
  const text = await readFile(path.join(report, "report.json"), "utf8");
  const { completed, generator } = load.parse(
    reportSchema.parse(JSON.parse(text)).measurements.load?.[0],
  );
  const { dropped, lagP99Ms } = generator;
  return { who: "soak", completed, dropped, lateP99Ms: lagP99Ms, used };
}

const summary = z.object({
  metrics: z.object({
    checks: z.object({ passes: z.number() }).optional(),
    dropped_iterations: z.object({ count: z.number() }).optional(),
  }),
});

async function plain(service: Service, rate: number, folder: string): Promise<Row> {
  const file = path.join(folder, "summary.json");
  const { path: k6 } = await findK6({ env: process.env, onProgress: () => {} });
  const env = {
    BASE_URL: service.baseUrl,
    SOAK_KEY: service.key,
    JOBS_PER_SECOND: String(rate),
    SECONDS: values.seconds,
  };
  const used = await run("k6", [k6, "run", "-q", `--summary-export=${file}`, PLAIN], env, /begins/);
  const { metrics } = summary.parse(JSON.parse(await readFile(file, "utf8")));
  const completed = metrics.checks?.passes ?? 0;
  const dropped = metrics.dropped_iterations?.count ?? 0;
  return { who: "k6 script by hand", completed, dropped, lateP99Ms: null, used };
}

function lineOf(rate: number, { who, completed, dropped, lateP99Ms, used }: Row): string {
  const aJob = [...used].map(([name, ms]) => `${name} ${(ms / completed).toFixed(2)}`);
  const onTime = (completed / Number(values.seconds)).toFixed(0);
  const late = lateP99Ms === null ? "" : lateP99Ms.toFixed(0);
  return `| ${[rate, who, onTime, dropped, late, aJob.join(", ")].join(" | ")} |\n`;
}

process.stdout.write(
  "| jobs/s asked | by | completed a second | dropped | late by, p99 ms | processor ms a job |\n" +
    "|---|---|---|---|---|---|\n",
);
for (const rate of values.rates.split(",").map(Number)) {
  for (const offer of [soak, plain]) {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-bench-"));
    const service = await startService(TIME_SCALE, "b", SERVICE);
    try {
      process.stdout.write(lineOf(rate, await offer(service, rate, folder)));
    } finally {
      await stopService(service);
      await rm(folder, { recursive: true, force: true });
    }
  }
}
