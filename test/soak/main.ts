/**
 * A long soak of the embedded service, each in a process of its own: figures of the load and the
 * memory of all processes over the time, as tables. Exit code 1 unless every promise is kept.
 *
 * npm run soak -- [--minutes N] [--rate JOBS_PER_SECOND] [--time-scale X] [--variant a|b]
 * [--report DIR]
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { reportSchema } from "../../report/model.ts";
import type { HeapSize, Sample } from "./memory.ts";
import { growthOf, lowest, mean, sampleMemory, stretchesOf } from "./memory.ts";
import type { Service } from "./service.ts";
import { startService, stopService, targetFile } from "./service.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "50" },
    "time-scale": { type: "string", default: "1" },
    variant: { type: "string", default: "b" },
    report: { type: "string", default: "report" },
  },
});

const HEAP = path.join(import.meta.dirname, "tell-heap.ts");
const MAIN = path.join(import.meta.dirname, "../../cli/main.ts");
/** Ours: some two hundred samples in half an hour. */
const SAMPLE_MS = 10_000;
const ROWS = 6;
/** Ours: stretches that are long enough for a collection, whose lowest values tell the growth. */
const LOWS = 15;

async function startGate(service: Service, folder: string): Promise<ChildProcess> {
  const file = path.join(folder, "plumbline.yaml");
  const load = {
    jobsPerSecond: Number(values.rate),
    minutes: Number(values.minutes),
    timeScale: values["time-scale"],
  };
  await writeFile(file, targetFile(service, load));
  const only = "load,timeout.under-load";
  const args = ["gate", "--target", file, "--profile", "soak", "--only", only];
  return spawn(process.execPath, ["--import", HEAP, MAIN, ...args, "--report", values.report], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, SOAK_KEY: service.key },
  });
}

/** Until the gate has ended. */
async function watchMemory(gate: ChildProcess, service: Service): Promise<Sample[]> {
  const startedMs = Date.now();
  const samples: Sample[] = [];
  const ended = once(gate, "exit");
  let heapBytes = 0;
  gate.on("message", (told: HeapSize) => {
    heapBytes = told.heapBytes;
  });
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), sleep(SAMPLE_MS, false)]);
    if (isOver) return samples;
    const minutes = (Date.now() - startedMs) / 60_000;
    samples.push(await sampleMemory(gate.pid ?? 0, heapBytes, service.process.pid ?? 0, minutes));
  }
}

/** Means and lowest values, as what a collected heap takes goes up and down. */
function printMemory(samples: readonly Sample[]): void {
  const names = Object.keys(samples[0]?.megabytes ?? {});
  const [means, lows] = [stretchesOf(samples, ROWS, mean), stretchesOf(samples, ROWS, lowest)];
  const rows = means.map(({ minutes, megabytes }, at) => [
    `until minute ${minutes.toFixed(1)}`,
    ...names.flatMap((name) => [megabytes, lows[at]?.megabytes].map((of) => rounded(of?.[name]))),
  ]);
  const growth = (of: readonly Sample[]) => names.map((name) => growthOf(of, name).toFixed(1));
  const lowGrowth = growth(stretchesOf(samples, LOWS, lowest));
  const table = [
    ["memory, MB; of the processes resident", ...names.flatMap((name) => [name, "lowest"])],
    ["---", ...names.flatMap(() => ["---", "---"])],
    ...rows,
    [
      "growth after the first third, MB/h",
      ...growth(samples).flatMap((all, at) => [all, lowGrowth[at] ?? ""]),
    ],
  ];
  process.stdout.write(`${table.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`);
}

const rounded = (megabytes = 0) => megabytes.toFixed(0);

/** What the soak measured; true when every promise is kept. */
async function printFigures(): Promise<boolean> {
  const text = await readFile(path.join(values.report, "report.json"), "utf8");
  const report = reportSchema.parse(JSON.parse(text));
  const asked = report.promises.filter(({ id }) => report.only?.includes(id));
  for (const { id, verdict, summary } of asked) {
    process.stdout.write(`${verdict} ${id}: ${summary}\n`);
  }
  const [load] = report.measurements.load ?? [];
  process.stdout.write(`${JSON.stringify(load)}\n`);
  return asked.every(({ verdict }) => verdict === "kept");
}

const folder = await mkdtemp(path.join(tmpdir(), "plumbline-soak-"));
const service = await startService(values["time-scale"], values.variant);
try {
  const gate = await startGate(service, folder);
  const stop = () => void gate.kill("SIGINT");
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const samples = await watchMemory(gate, service);
  printMemory(samples);
  if (!(await printFigures())) process.exitCode = 1;
} finally {
  await stopService(service);
  await rm(folder, { recursive: true, force: true });
}
