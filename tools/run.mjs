#!/usr/bin/env node
/**
 * The bootstrap behind the npm scripts: brings Node 24, the packages and k6 to a fresh clone, then
 * runs the command with that Node. Plain JavaScript, because it starts under an older Node.
 *
 * Usage: node tools/run.mjs plumbline ARGS | test ARGS | build | node FILE ARGS
 */

import path from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./setup/child.mjs";
import { ensureK6, ensureTestTools } from "./setup/go-tools.mjs";
import { withLock } from "./setup/lock.mjs";
import { ensureNode } from "./setup/node.mjs";
import { ensurePackages } from "./setup/packages.mjs";
import { SetupError } from "./setup/progress.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** Bad usage or configuration: k6's own code, which the command line uses too. */
const EXIT_CONFIGURATION = 104;

/** Subcommands of plumbline that run k6; the others need no set-up of it. */
const K6_COMMANDS = ["gate", "capacity"];

/**
 * @param {string} kind
 * @param {readonly string[]} args
 * @returns {{ argv: readonly string[], needsK6: boolean }}
 */
function commandOf(kind, args) {
  if (kind === "plumbline") {
    const help = args.includes("--help") || args.includes("-h");
    const needsK6 = !help && K6_COMMANDS.includes(args[0] ?? "");
    return { argv: [path.join(ROOT, "cli", "main.ts"), ...args], needsK6 };
  }
  if (kind === "test")
    return { argv: [path.join(ROOT, "tools", "check.ts"), ...args], needsK6: true };
  if (kind === "build") return { argv: [path.join(ROOT, "tools", "build.ts")], needsK6: false };
  if (kind === "node") return { argv: args, needsK6: true };
  throw new SetupError(`unknown command "${kind}"; expected one of: plumbline, test, build, node`);
}

/** @returns {Promise<number>} */
async function main() {
  const [kind = "", ...args] = process.argv.slice(2);
  const { argv, needsK6 } = commandOf(kind, args);
  const env = await withLock(path.join(ROOT, ".plumbline", "setup.lock"), async () => {
    const node = await ensureNode(ROOT, process.env);
    await ensurePackages(ROOT, node);
    const withK6 = needsK6 ? await ensureK6(ROOT, node) : node;
    if (kind !== "test") return withK6;
    return await ensureTestTools(ROOT, withK6, args.includes("--all"));
  });
  return await runChild(env.nodePath, ["--disable-warning=ExperimentalWarning", ...argv], env.env);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    const expected = error instanceof SetupError;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`plumbline set-up: ${message}\n`);
    if (!expected && process.env.PLUMBLINE_DEBUG) console.error(error);
    process.exitCode = EXIT_CONFIGURATION;
  },
);
