/**
 * `npm run probe:endurance [-- --minutes 45]`: the probe with six canaries, one each two or four
 * seconds, on the embedded service in a process of its own, in real time: what it holds over the
 * time, as a table, and how many runs had which outcome. Exit code 1 when a run was neither a
 * success nor this machine's own failure, or none was seen.
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { SOURCES } from "../cli/main-file.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import type { Service } from "../soak/service.ts";
import { startService, stopService } from "../soak/service.ts";
import type { Figures, OwnFigures } from "./growth.ts";
import { descriptorsOf, growthTable, inMegabytes, processes } from "./growth.ts";
import { TELL_OWN_FIGURES, watchGrowth } from "./watch.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "45" },
    port: { type: "string", default: "9464" },
  },
});

/** Two thirds of the key's rate come to some twenty requests a second. */
const TARGET = ({ baseUrl }: Service) => `target: { baseUrl: "${baseUrl}" }
keys:
  - { name: big, plan: enterprise, sustained: 200, burst: 400, account: one, env: PROBE_KEY }
workers:
  success: { id: echo, input: { text: hello }, marker: text }
  slow:    { id: sleep, input: { seconds: 2 } }
  failure: { id: fail, input: {} }
  list:    { id: rows, input: { count: 3 } }
  files:   { id: render, input: { title: Report, pages: 2 } }
cancel:  { method: DELETE, body: null }
webhook: { listen: "127.0.0.1:0" }
canaries:
  - { name: echo, part: success, every: 2s, webhook: true }
  - { name: sleep, part: slow, every: 4s }
  - { name: cancel, part: slow, every: 4s, expect: cancelled }
  - { name: fail, part: failure, every: 2s, webhook: true }
  - { name: rows, part: list, every: 2s }
  - { name: render, part: files, every: 2s }
probe: { rateShare: 0.5, budget: { day: { jobs: 100000, credits: 1000000, usd: 10000 } } }
`;

async function startProbe(service: Service, folder: string): Promise<ChildProcess> {
  const file = path.join(folder, "plumbline.yaml");
  await writeFile(file, TARGET(service));
  const options = ["--state", path.join(folder, "state"), "--listen", `127.0.0.1:${values.port}`];
  const argv = ["--import", TELL_OWN_FIGURES, SOURCES, "probe", "--target", file, ...options];
  return spawn(process.execPath, argv, {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { ...process.env, PROBE_KEY: service.key },
  });
}

async function figuresOf(pid: number | undefined, folder: string, own: OwnFigures) {
  const rows = await processes();
  const figures: Figures = {
    probe: rows.find((row) => row.pid === pid)?.megabytes ?? 0,
    "its heap": inMegabytes(own.heapBytes),
    "its timers": own.timers,
    "its descriptors": await descriptorsOf(pid),
    "its journal": inMegabytes(await sizeOf(path.join(folder, "state"))),
  };
  return figures;
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    // The journal's log may go while it is looked at.
    .map((file) =>
      stat(path.join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Ours: on a busy machine a submission's answer may be lost as well. */
const NOBODYS_FAULT = new Set(["success", "probe_error", "ambiguous_submission"]);

/** How many runs had each outcome, by the probe's own metrics. */
async function outcomes(): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${values.port}/metrics`);
  const counts = new Map<string, number>();
  const runs = /^plumbline_canary_runs_total\{.*?outcome="([^"]+)".*\} (\d+)/gm;
  for (const [, outcome = "", count] of (await answer.text()).matchAll(runs)) {
    if (count !== "0") counts.set(outcome, (counts.get(outcome) ?? 0) + Number(count));
  }
  return counts;
}

await using folder = await temporaryFolder();
const service = await startService("1", "b");
try {
  const probe = await startProbe(service, folder.path);
  let told = new Map<string, number>();
  const stop = async () => {
    // Whoever is gone has told nothing: then the exit code says so.
    told = await outcomes().catch(() => told);
    probe.kill("SIGTERM");
  };
  const timer = setTimeout(stop, Number(values.minutes) * 60_000);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  const samples = await watchGrowth(probe, (own) => figuresOf(probe.pid, folder.path, own));
  clearTimeout(timer);
  process.stdout.write(growthTable(samples));
  process.stdout.write(`runs: ${JSON.stringify(Object.fromEntries(told))}\n`);
  const isLawful = [...told.keys()].every((each) => NOBODYS_FAULT.has(each));
  if (!isLawful || !told.has("success")) process.exitCode = 1;
} finally {
  await stopService(service);
}
