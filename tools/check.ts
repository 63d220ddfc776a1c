/**
 * `npm test`: type check, lint and format, and the tests; ends with one line of counts taken from
 * the test runner's own results. `npm run test:all` runs the long projects as well. Arguments go to
 * the test runner, such as `npm test -- test/gate`.
 *
 * Three lanes run side by side, the more a lane bears to be held up the lower its priority: the
 * sample in real k6, the tests of processes and sockets, and what waits for nothing. What measures
 * times by itself comes when the first two have ended.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { LONG_PROJECTS } from "./long-projects.ts";
import type { TestCounts } from "./test-counts.ts";
import { addCounts, countTests, formatCounts } from "./test-counts.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Checks beside the tests; each one that fails counts as one failed test. */
const CHECKS = [
  { name: "types", script: "node_modules/typescript/bin/tsc", args: ["--noEmit"] },
  {
    name: "lint and format",
    script: "node_modules/@biomejs/biome/bin/biome",
    args: ["check", "--error-on-warnings"],
  },
  { name: "generated files", script: "tools/generate.ts", args: ["--check"] },
];

interface Lane {
  project: string;
  /**
   * Ours: 5 more get a third of the time of those before, at once where these wait; still enough to
   * come to an end while others take all cores.
   */
  niceness: number;
}

/** A sample of the simulation in real k6, held against it. */
const SAMPLE: Lane = { project: "fidelity", niceness: 0 };

/** Processes and sockets, of which none has to be on time to the millisecond. */
const PROCESSES: Lane = { project: "tests", niceness: 5 };

/** Without waits, sockets or times of their own. */
const PURE: Lane = { project: "pure", niceness: 10 };

/** Hundreds of processes load the same sources: what Node made of them is kept. */
const ENVIRONMENT = {
  ...process.env,
  NODE_COMPILE_CACHE: path.join(ROOT, ".plumbline", "compile-cache"),
};

/** Beside others all output comes at the end. */
async function runNode(
  script: string,
  args: readonly string[],
  { isBeside, niceness }: { isBeside: boolean; niceness: number },
): Promise<number> {
  const output = isBeside ? "pipe" : "inherit";
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdio: ["inherit", output, output],
  });
  const { pid } = child;
  if (pid !== undefined && niceness > 0) os.setPriority(pid, niceness);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => said.push(part));
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}

async function runLane(lane: Lane): Promise<TestCounts> {
  const counts = await runTests([], lane);
  process.stderr.write(`${lane.project}: ${formatCounts(counts)}\n`);
  return counts;
}

async function runTests(args: readonly string[], lane: Lane | null = null): Promise<TestCounts> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
  const resultFile = path.join(folder, "result.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const projects = lane === null ? [] : [`--project=${lane.project}`];
  const command = ["run", ...reporters, ...projects, ...args];
  const exitCode = await runNode("node_modules/vitest/vitest.mjs", command, {
    isBeside: lane !== null,
    niceness: lane?.niceness ?? 0,
  });
  const result = await readFile(resultFile, "utf8").catch(() => null);
  await rm(folder, { recursive: true, force: true });
  return countTests({ result, exitCode });
}

async function runChecks(): Promise<TestCounts> {
  // Side by side: none of them changes a file, and each uses one core.
  const codes = await Promise.all(
    CHECKS.map(async ({ name, script, args }) => {
      process.stderr.write(`check: ${name}\n`);
      return await runNode(script, args, { isBeside: true, niceness: PURE.niceness });
    }),
  );
  return { passed: 0, failed: codes.filter((code) => code !== 0).length, skipped: 0 };
}

/** What the test runner is to leave out, and what is said of it. */
function leftOut(isAll: boolean): readonly string[] {
  if (isAll) return [];
  const names = Object.keys(LONG_PROJECTS);
  process.stderr.write(`only in npm run test:all: ${names.join("; ")}\n`);
  return names.map((name) => `--project=!${name}`);
}

async function runPure(): Promise<TestCounts> {
  return addCounts(await runChecks(), await runLane(PURE));
}

async function runChosen(args: readonly string[]): Promise<TestCounts> {
  return (await Promise.all([runChecks(), runTests(args)])).reduce(addCounts);
}

async function runAll(args: readonly string[]): Promise<TestCounts> {
  const pure = runPure();
  const lanes = await Promise.all([SAMPLE, PROCESSES].map(runLane));
  const done = [SAMPLE, PROCESSES, PURE].map(({ project }) => `--project=!${project}`);
  const rest = await runTests([...args, ...done]);
  return [await pure, ...lanes, rest].reduce(addCounts);
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const chosen = given.filter((each) => each !== "--all");
  const args = [...leftOut(given.includes("--all")), ...chosen];
  const counts = await (chosen.length === 0 ? runAll(args) : runChosen(args));
  process.stdout.write(`${formatCounts(counts)}\n`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}

await main();
