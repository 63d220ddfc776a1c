/**
 * `npm test`: type check, lint and format, then the tests; ends with one line of counts taken from
 * the test runner's own result. `npm run test:all` runs the long projects as well. Arguments go to
 * the test runner, such as `npm test -- test/gate`.
 */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { LONG_PROJECTS } from "./long-projects.ts";
import { countTests, formatCounts } from "./test-counts.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Checks that come before the tests; each one that fails counts as one failed test. */
const CHECKS = [
  { name: "types", script: "node_modules/typescript/bin/tsc", args: ["--noEmit"] },
  {
    name: "lint and format",
    script: "node_modules/@biomejs/biome/bin/biome",
    args: ["check", "--error-on-warnings"],
  },
  { name: "generated files", script: "tools/generate.ts", args: ["--check"] },
];

function runNode(script: string, args: readonly string[]): Promise<number> {
  const file = path.join(ROOT, script);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

async function runTests(args: readonly string[], resultFile: string): Promise<number> {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  return await runNode("node_modules/vitest/vitest.mjs", ["run", ...reporters, ...args]);
}

/** What the test runner is to leave out, and what is said of it. */
function leftOut(isAll: boolean): readonly string[] {
  if (isAll) return [];
  const names = Object.keys(LONG_PROJECTS);
  process.stderr.write(`only in npm run test:all: ${names.join("; ")}\n`);
  return names.map((name) => `--project=!${name}`);
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const args = [...leftOut(given.includes("--all")), ...given.filter((each) => each !== "--all")];
  // Side by side: none of them changes a file, and each uses one core.
  const codes = await Promise.all(
    CHECKS.map(async ({ name, script, args }) => {
      process.stderr.write(`check: ${name}\n`);
      return await runNode(script, args);
    }),
  );
  const failedChecks = codes.filter((code) => code !== 0).length;
  const folder = await mkdtemp(path.join(os.tmpdir(), "plumbline-test-"));
  const resultFile = path.join(folder, "result.json");
  const exitCode = await runTests(args, resultFile);
  const result = await readFile(resultFile, "utf8").catch(() => null);
  await rm(folder, { recursive: true, force: true });
  const counts = countTests({ result, exitCode, failedChecks });
  process.stdout.write(`${formatCounts(counts)}\n`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
}

await main();
