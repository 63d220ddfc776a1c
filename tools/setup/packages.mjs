/** Installs npm packages from a lock file, once for each state of that file. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { runTool } from "./child.mjs";
import { SetupError, timed } from "./progress.mjs";

/** Holds the hash of the lock file that node_modules was installed from. */
const STAMP_FILE = ".plumbline-lock-hash";

/** @typedef {{ nodePath: string, env: NodeJS.ProcessEnv }} Toolchain */

/**
 * @param {string} root
 * @param {Toolchain} toolchain
 */
export async function ensurePackages(root, toolchain) {
  await installOnce(root, toolchain, "installing packages (npm ci)");
}

/**
 * `npm ci` in a folder, unless its node_modules came from this very lock file. npm says nothing of
 * an optional package that it could not fetch: `needed` is a file of one that must be there.
 * @param {string} folder
 * @param {Toolchain} toolchain
 * @param {string} text
 * @param {string | null} [needed]
 */
export async function installOnce(folder, toolchain, text, needed = null) {
  const lock = await readFile(path.join(folder, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = path.join(folder, "node_modules", STAMP_FILE);
  const isComplete = () => needed === null || existsSync(path.join(folder, "node_modules", needed));
  if ((await readFile(stamp, "utf8").catch(() => "")) === hash && isComplete()) return;
  await timed(text, async () => {
    await npmCi(folder, toolchain);
    if (isComplete()) return;
    const expected = "check that the npm registry can be reached and try again";
    throw new SetupError(`npm ci fetched no ${needed}; ${expected}`);
  });
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, hash);
}

/**
 * No install scripts: none of the packages needs one, so none gets to run code.
 * @param {string} folder
 * @param {Toolchain} toolchain
 */
async function npmCi(folder, { nodePath, env }) {
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const cli = env.npm_execpath;
  const result = await (cli?.endsWith("npm-cli.js")
    ? runTool(nodePath, [cli, ...options], { cwd: folder, env })
    : runTool("npm", options, { cwd: folder, env })
  ).catch(() => {
    throw new SetupError("npm was not found; install npm, or run this through `npm start`");
  });
  if (result.code !== 0) {
    throw new SetupError(
      `npm ci failed with exit code ${result.code}; check that the npm registry can be reached ` +
        `and try again. npm said:\n${withoutUsage(result.output)}`,
    );
  }
}

/**
 * npm prints its whole usage below the one line that matters.
 * @param {string} output
 */
function withoutUsage(output) {
  return output.split(/\n[^\n]*Clean install a project/)[0]?.trim();
}
