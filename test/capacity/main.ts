/**
 * Whether `plumbline capacity` finds a capacity that is known: services with a planted one, each in
 * a process of its own, a table of what was found. Exit code 1 unless every run is within 5 %, with
 * the right bottleneck, in less than five minutes.
 *
 * npm run capacity:planted -- [--runs N] [--only NAME] [--report DIR]
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { CapacityResult } from "../../report/capacity-model.ts";
import { capacitySchema } from "../../report/capacity-model.ts";
import { SOURCES } from "../cli/main-file.ts";
import { startService, stopService } from "../soak/service.ts";
import type { SetUp } from "./set-ups.ts";
import { plantedTarget, SET_UPS } from "./set-ups.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    report: { type: "string" },
  },
});

const DEVIATION_MAX = 0.05;
const SECONDS_MAX = 300;
/** Ours: the jobs of the last step end a little later than the time that the search is given. */
const SEARCH_SECONDS_MAX = 285;

async function search(setUp: SetUp, folder: string): Promise<CapacityResult> {
  const more = { args: setUp.serviceArgs, keyName: setUp.key.name };
  const service = await startService("1", "b", more);
  try {
    const file = path.join(folder, "plumbline.yaml");
    await writeFile(file, plantedTarget(service.baseUrl, setUp));
    const given = ["--target", file, "--report", folder, "--time", `${SEARCH_SECONDS_MAX}s`];
    const args = ["capacity", ...given, ...setUp.args];
    const child = spawn(process.execPath, [SOURCES, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, CAPACITY_KEY: service.key },
    });
    await once(child, "exit");
    const text = await readFile(path.join(folder, "capacity.json"), "utf8");
    return capacitySchema.parse(JSON.parse(text));
  } finally {
    await stopService(service);
  }
}

function judge(setUp: SetUp, result: CapacityResult): { isRight: boolean; cells: string[] } {
  const { estimate, bottleneck, steps } = result;
  const seconds = (Date.parse(result.finishedAt) - Date.parse(result.startedAt)) / 1_000;
  const deviation = (estimate?.perSecond ?? 0) / setUp.planted - 1;
  const isNear = Math.abs(deviation) <= DEVIATION_MAX;
  const isRight = isNear && bottleneck?.bottleneck === setUp.bottleneck && seconds < SECONDS_MAX;
  const withdrawn = steps.filter(({ outcome }) => outcome === "withdrawn").length;
  const percent = `${deviation >= 0 ? "+" : ""}${(deviation * 100).toFixed(1)} %`;
  const interval = `${estimate?.low.toFixed(1) ?? "-"} to ${estimate?.high.toFixed(1) ?? "-"}`;
  const found = estimate === null ? "nothing" : `${estimate.perSecond.toFixed(1)} (${percent})`;
  return {
    isRight,
    cells: [
      found,
      interval,
      bottleneck?.bottleneck ?? "none",
      `${steps.length} (${withdrawn} withdrawn)`,
      seconds.toFixed(0),
      (loadavg()[0] ?? 0).toFixed(1),
      isRight ? "yes" : "NO",
    ],
  };
}

const HEAD = ["set-up", "run", "found, jobs/s", "95 % interval", "bottleneck", "steps", "seconds"];

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

const setUps = SET_UPS.filter(({ name }) => values.only === undefined || values.only === name);
for (const { name, what, planted } of setUps) {
  process.stdout.write(`- ${name}: ${what}; planted ${planted} jobs a second\n`);
}
print([...HEAD, "load", "right"]);
print([...HEAD, "load", "right"].map(() => "---"));
for (let run = 1; run <= Number(values.runs); run += 1) {
  for (const setUp of setUps) {
    if (values.report !== undefined) await mkdir(values.report, { recursive: true });
    const folder = values.report ?? (await mkdtemp(path.join(tmpdir(), "plumbline-capacity-")));
    const { isRight, cells } = judge(setUp, await search(setUp, folder));
    print([setUp.name, String(run), ...cells]);
    if (!isRight) process.exitCode = 1;
    if (values.report === undefined) await rm(folder, { recursive: true, force: true });
  }
}
