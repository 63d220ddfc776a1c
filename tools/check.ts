/**
 * `npm test`: type check, lint and format, and the tests; ends with a line for each failure and one
 * line of counts, both taken from the test runner's own results. `npm run test:all` runs the long
 * projects as well. Arguments go to the test runner, such as `npm test -- test/gate`.
 *
 * What waits for nothing takes the time that the others leave: it runs beside them with a lower
 * priority, so that it holds none of them up. The sample in real k6 comes when all have ended.
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

/** Without waits, sockets or times of their own. */
const BACKGROUND_PROJECT = "pure";

/**
 * Ours: a tenth of what others get, at once where these wait; enough to come to an end while
 * others take all cores.
 */
const BACKGROUND_NICENESS = 10;

/** In turn: they bear beside them what stands back for them. */
const BESIDE_PROJECTS = ["tests", "timed"];

/** Hundreds of processes load the same sources: what Node made of them is kept. */
const ENVIRONMENT = {
  ...process.env,
  NODE_COMPILE_CACHE: path.join(ROOT, ".plumbline", "compile-cache"),
};

/** In the background with a lower priority, and with all output at the end. */
async function runNode(
  script: string,
  args: readonly string[],
  isBackground: boolean,
): Promise<number> {
  const output = isBackground ? "pipe" : "inherit";
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdio: ["inherit", output, output],
  });
  const { pid } = child;
  if (isBackground && pid !== undefined) os.setPriority(pid, BACKGROUND_NICENESS);
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

async function runTests(args: readonly string[], isBackground = false): Promise<TestCounts> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
  const resultFile = path.join(folder, "result.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const command = ["run", ...reporters, ...args];
  const exitCode = await runNode("node_modules/vitest/vitest.mjs", command, isBackground);
  const result = await readFile(resultFile, "utf8").catch(() => null);
  await rm(folder, { recursive: true, force: true });
  return countTests({ result, exitCode });
}

async function runChecks(): Promise<TestCounts> {
  // Side by side: none of them changes a file, and each uses one core.
  const failures = await Promise.all(
    CHECKS.map(async ({ name, script, args }) => {
      process.stderr.write(`check: ${name}\n`);
      return (await runNode(script, args, true)) === 0 ? [] : [`check: ${name}`];
    }),
  );
  return { passed: 0, failed: failures.flat().length, skipped: 0, failures: failures.flat() };
}

/** What the test runner is to leave out, and what is said of it. */
function leftOut(isAll: boolean): readonly string[] {
  if (isAll) return [];
  const names = Object.keys(LONG_PROJECTS);
  process.stderr.write(`only in npm run test:all: ${names.join("; ")}\n`);
  return names.map((name) => `--project=!${name}`);
}

async function runBackground(): Promise<TestCounts> {
  const checks = await runChecks();
  return addCounts(checks, await runTests([`--project=${BACKGROUND_PROJECT}`], true));
}

async function runChosen(args: readonly string[]): Promise<TestCounts> {
  return (await Promise.all([runChecks(), runTests(args)])).reduce(addCounts);
}

async function runAll(args: readonly string[]): Promise<TestCounts> {
  const besides = runTests(BESIDE_PROJECTS.map((name) => `--project=${name}`));
  const first = await Promise.all([runBackground(), besides]);
  const others = [BACKGROUND_PROJECT, ...BESIDE_PROJECTS].map((name) => `--project=!${name}`);
  return addCounts(first.reduce(addCounts), await runTests([...args, ...others]));
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const chosen = given.filter((each) => each !== "--all");
  const args = [...leftOut(given.includes("--all")), ...chosen];
  const counts = await (chosen.length === 0 ? runAll(args) : runChosen(args));
  for (const failure of counts.failures) process.stdout.write(`failed: ${failure}\n`);
  process.stdout.write(`${formatCounts(counts)}\n`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}

await main();
