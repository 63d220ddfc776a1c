/**
 * A long soak of the embedded service, each in a process of its own: figures of the load, and what
 * all processes hold over the time, as tables. Exit code 1 unless every promise is kept.
 *
 * npm run soak -- [--minutes N] [--rate JOBS_PER_SECOND] [--time-scale X] [--variant a|b]
 * [--report DIR]
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { reportSchema } from "../../report/model.ts";
import { SOURCES } from "../cli/main-file.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import type { Figures, OwnFigures } from "../endurance/growth.ts";
import { descriptorsOf, growthTable, inMegabytes, processes } from "../endurance/growth.ts";
import { TELL_OWN_FIGURES, watchGrowth } from "../endurance/watch.ts";
import type { Load, Service } from "./service.ts";
import { argsFor, KEY_NAME, startService, stopService, targetFile } from "./service.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "50" },
    "time-scale": { type: "string", default: "1" },
    variant: { type: "string", default: "b" },
    report: { type: "string", default: "plumbline-report" },
  },
});

const load: Load = {
  jobsPerSecond: Number(values.rate),
  minutes: Number(values.minutes),
  timeScale: values["time-scale"],
};

async function startGate(service: Service, folder: string): Promise<ChildProcess> {
  const file = path.join(folder, "plumbline.yaml");
  await writeFile(file, targetFile(service, load));
  const only = "load,timeout.under-load";
  const args = ["gate", "--target", file, "--profile", "soak", "--only", only];
  const argv = ["--import", TELL_OWN_FIGURES, SOURCES, ...args, "--report", values.report];
  return spawn(process.execPath, argv, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, SOAK_KEY: service.key },
  });
}

/** Of the suite's own processes, and the memory of the service that it judges. */
async function figuresOf(
  gatePid: number | undefined,
  servicePid: number | undefined,
  own: OwnFigures,
): Promise<Figures> {
  const rows = await processes();
  const generator = rows.find(({ parent, command }) => parent === gatePid && !/sh$/.test(command));
  const megabytesOf = (of: number | undefined) => rows.find(({ pid }) => pid === of)?.megabytes;
  return {
    gate: megabytesOf(gatePid) ?? 0,
    "its heap": inMegabytes(own.heapBytes),
    "its timers": own.timers,
    "its descriptors": await descriptorsOf(gatePid),
    generator: generator?.megabytes ?? 0,
    "descriptors of the generator": await descriptorsOf(generator?.pid),
    service: megabytesOf(servicePid) ?? 0,
  };
}

/** What the soak measured; true when every promise is kept. */
async function printFigures(): Promise<boolean> {
  const text = await readFile(path.join(values.report, "report.json"), "utf8");
  const report = reportSchema.parse(JSON.parse(text));
  const asked = report.promises.filter(({ id }) => report.only?.includes(id));
  for (const { id, verdict, summary } of asked) {
    process.stdout.write(`${verdict} ${id}: ${summary}\n`);
  }
  process.stdout.write(`${JSON.stringify(report.measurements.load?.[0])}\n`);
  return asked.every(({ verdict }) => verdict === "kept");
}

await using folder = await temporaryFolder();
const service = await startService(load.timeScale, values.variant, {
  args: argsFor(load),
  keyName: KEY_NAME,
});
try {
  const gate = await startGate(service, folder.path);
  const stop = () => void gate.kill("SIGINT");
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const { pid } = service.process;
  const samples = await watchGrowth(gate, (own) => figuresOf(gate.pid, pid, own));
  process.stdout.write(growthTable(samples));
  if (!(await printFigures())) process.exitCode = 1;
} finally {
  await stopService(service);
}
