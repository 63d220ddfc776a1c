/**
 * `npm test`: type check, lint and format, and the tests; ends with a line for each failure and one
 * line of counts, both taken from the test runner's own results. `npm run test:all` runs the long
 * projects as well. Arguments go to the test runner, such as `npm test -- test/gate`.
 *
 * What may wait takes the time that the others leave: it runs beside them with a lower priority, so
 * that it holds none of them up. Those that leave most, the sample in real k6 and what measures
 * times, come first: no core is idle while there is such work.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { guardGroup } from "../runner/orphan-guard.ts";
import { ROOT } from "../runner/package-root.ts";
import { BUNDLES_VARIABLE } from "../runner/scenario-script.ts";
import { bundlePackage } from "./bundle-cli.ts";
import {
  ALL_CASES_VARIABLE,
  BUNDLED_CLI_VARIABLE,
  TYPES_CHECKED_VARIABLE,
} from "./check-environment.ts";
import { LONG_PROJECTS } from "./long-projects.ts";
import type { TestCounts } from "./test-counts.ts";
import { addCounts, countTests, formatCounts } from "./test-counts.ts";

/** Checks beside the tests; each one that fails counts as one failed test. */
const CHECKS = [
  {
    name: "types",
    script: "node_modules/typescript/bin/tsc",
    // What it found out of files that are as they were is kept: most of the next check's work.
    args: ["--noEmit", "--incremental", "--tsBuildInfoFile", ".plumbline/types.tsbuildinfo"],
  },
  {
    name: "lint and format",
    script: "node_modules/@biomejs/biome/bin/biome",
    args: ["check", "--error-on-warnings"],
  },
  { name: "generated files", script: "tools/generate.ts", args: ["--check"] },
];

/** What a low priority makes later, and nothing else. None starts k6, which would not have it. */
const BACKGROUND_PROJECTS = ["pure", "patient"];

/**
 * Ours: a tenth of what others get, at once where these wait; enough to come to an end while
 * others take all cores.
 */
const BACKGROUND_NICENESS = 10;

/**
 * Ours: a third of what another session gets, where Linux shares the cores among sessions first
 * (sched(7), the autogroup feature): each k6 has a session of its own.
 */
const BACKGROUND_SESSION_NICENESS = 5;

const GIVEN = process.argv.slice(2);
const IS_ALL = GIVEN.includes("--all");

/** Of all that runs here, for which command line and scenarios are bundled once. */
const FOLDER = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
const BUNDLES = await bundlePackage(FOLDER);

/**
 * Hundreds of processes load the same sources: what Node made of them is kept, and each k6 and
 * each command line starts from a bundle.
 */
const ENVIRONMENT = {
  ...process.env,
  NODE_COMPILE_CACHE: path.join(ROOT, ".plumbline", "compile-cache"),
  [BUNDLES_VARIABLE]: BUNDLES.scenarios,
  [BUNDLED_CLI_VARIABLE]: BUNDLES.cli,
  [TYPES_CHECKED_VARIABLE]: "1",
  ...(IS_ALL ? { [ALL_CASES_VARIABLE]: "1" } : {}),
};

/** Sees to it as well that the process and its children do not outlive this one. */
async function standBack(pid: number): Promise<() => void> {
  try {
    os.setPriority(pid, BACKGROUND_NICENESS);
  } catch {
    // It has ended already, or may not be changed: it runs as any other.
  }
  // There is no such file but on Linux, and not where the feature is off.
  await writeFile(`/proc/${pid}/autogroup`, `${BACKGROUND_SESSION_NICENESS}`).catch(() => {});
  return guardGroup(pid);
}

/** In the background in a session of its own, with a lower priority, and all output at the end. */
async function runNode(
  script: string,
  args: readonly string[],
  isBackground: boolean,
): Promise<number> {
  const output = isBackground ? "pipe" : "inherit";
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdio: [isBackground ? "ignore" : "inherit", output, output],
    detached: isBackground,
  });
  const { pid } = child;
  const dismissGuard = isBackground && pid !== undefined ? standBack(pid) : null;
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => said.push(part));
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
  (await dismissGuard)?.();
  process.stdout.write(Buffer.concat(said));
  return exitCode;
}

async function runTests(args: readonly string[], isBackground = false): Promise<TestCounts> {
  const resultFile = path.join(FOLDER, isBackground ? "background.json" : "result.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const command = ["run", ...reporters, ...args];
  const exitCode = await runNode("node_modules/vitest/vitest.mjs", command, isBackground);
  const result = await readFile(resultFile, "utf8").catch(() => null);
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
function leftOut(): readonly string[] {
  if (IS_ALL) return [];
  const names = Object.keys(LONG_PROJECTS);
  process.stderr.write(`only in npm run test:all: ${names.join("; ")}\n`);
  return names.map((name) => `--project=!${name}`);
}

async function runBackground(): Promise<TestCounts> {
  const checks = await runChecks();
  const projects = BACKGROUND_PROJECTS.map((name) => `--project=${name}`);
  return addCounts(checks, await runTests(projects, true));
}

async function runChosen(args: readonly string[]): Promise<TestCounts> {
  return (await Promise.all([runChecks(), runTests(args)])).reduce(addCounts);
}

async function runAll(args: readonly string[]): Promise<TestCounts> {
  const background = runBackground();
  // Told where it is awaited; till then it would end this process.
  background.catch(() => {});
  const others = BACKGROUND_PROJECTS.map((name) => `--project=!${name}`);
  const counts = await runTests([...args, ...others]);
  return addCounts(await background, counts);
}

async function main(): Promise<void> {
  const chosen = GIVEN.filter((each) => each !== "--all");
  const args = [...leftOut(), ...chosen];
  const counts = await (chosen.length === 0 ? runAll(args) : runChosen(args));
  for (const failure of counts.failures) process.stdout.write(`failed: ${failure}\n`);
  process.stdout.write(`${formatCounts(counts)}\n`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}

try {
  await main();
} finally {
  await rm(FOLDER, { recursive: true, force: true });
}
