/**
 * Real comparisons of embedded services, each in a process of its own: equal ones, and ones whose
 * jobs run 20 % longer. Prints counts with their intervals as a table.
 *
 * npm run compare:real -- [--count N] [--blocks N] [--block DURATION] [--rate N]
 * [--only equal|slow]
 */

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";

import type { ComparisonReport } from "../../../../capacity/compare/model.ts";
import { comparisonSchema } from "../../../../capacity/compare/model.ts";
import { quantileOf } from "../../../../capacity/statistics/moments.ts";
import { SOURCES } from "../../../cli/main-file.ts";
import { temporaryFolder } from "../../../cli/temporary-folder.ts";
import type { Service } from "../../../soak/service.ts";
import { startService, stopService } from "../../../soak/service.ts";
import { wilson } from "../simulation/wilson.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "20" },
    blocks: { type: "string", default: "64" },
    block: { type: "string", default: "500ms" },
    rate: { type: "string", default: "40" },
    only: { type: "string" },
  },
});

/** Jobs of the base run for 150 ms, those of the slow candidate for 180 ms. */
const TIME_SCALES = { base: "0.5", equal: "0.5", slow: "0.6" } as const;
const JOBS_MAX = 100_000;

function targetFile({ baseUrl }: Service): string {
  return `target: { baseUrl: "${baseUrl}" }
keys: [{ name: big, plan: enterprise, sustained: 200, burst: 400, env: COMPARE_KEY }]
workers: { success: { id: echo, input: { text: hello } } }
budget: { jobs: ${JOBS_MAX} }
`;
}

async function compareOnce(scale: string, seed: number, folder: string): Promise<ComparisonReport> {
  const base = await startService(TIME_SCALES.base, "b");
  const candidate = await startService(scale, "b");
  try {
    const files = { base: path.join(folder, "base.yaml"), other: path.join(folder, "other.yaml") };
    await writeFile(files.base, targetFile(base));
    await writeFile(files.other, targetFile(candidate));
    const sides = ["--base", files.base, "--candidate", files.other];
    const size = ["--blocks", values.blocks, "--block", values.block, "--rate", values.rate];
    const output = ["--report", path.join(folder, "report"), "--seed", String(seed), "--json"];
    const args = [SOURCES, "compare", ...sides, ...size, ...output];
    return await runToJson(args, { ...process.env, COMPARE_KEY: base.key });
  } finally {
    await Promise.all([stopService(base), stopService(candidate)]);
  }
}

async function runToJson(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ComparisonReport> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"], env });
  const chunks: string[] = [];
  for await (const chunk of child.stdout.setEncoding("utf8")) chunks.push(String(chunk));
  return comparisonSchema.parse(JSON.parse(chunks.join("")));
}

const count = Number(values.count);
await using folder = await temporaryFolder();
const VERDICTS = ["worse", "better", "same", "unknown"] as const;
process.stdout.write(`| candidate | ${VERDICTS.join(" | ")} | blocks: median (range) |\n`);
process.stdout.write(`|---|${"---|".repeat(VERDICTS.length + 1)}\n`);
for (const kind of ["equal", "slow"] as const) {
  if (values.only !== undefined && values.only !== kind) continue;
  const reports: ComparisonReport[] = [];
  for (let seed = 1; seed <= count; seed++) {
    const report = await compareOnce(TIME_SCALES[kind], seed, folder.path);
    reports.push(report);
    const [median] = report.metrics;
    const change = median === undefined ? null : [median.change, median.low, median.high];
    process.stderr.write(`${kind} ${seed}: ${report.verdict}, job.p50 ${JSON.stringify(change)}\n`);
  }
  process.stdout.write(`${rowOf(kind, reports)}\n`);
}

function rowOf(kind: string, reports: readonly ComparisonReport[]): string {
  const shares = VERDICTS.map((verdict) => {
    const hits = reports.filter((report) => report.verdict === verdict).length;
    const { low, high } = wilson(hits, reports.length);
    return `${hits} of ${reports.length} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}] %`;
  });
  const blocks = reports.map(({ rounds }) => rounds.flat().length);
  const range = `${quantileOf(blocks, 0.5)} (${Math.min(...blocks)} to ${Math.max(...blocks)})`;
  return `| ${[kind === "slow" ? "runs 20 % longer" : "equal", ...shares, range].join(" | ")} |`;
}
