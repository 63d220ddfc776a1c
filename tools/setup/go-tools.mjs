/** Finds or builds the tools that are written in Go, and hands them on in the environment. */

import path from "node:path";
import { runTool } from "./child.mjs";
import { SetupError } from "./progress.mjs";

/**
 * k6, which runs the scenarios, by way of runner/.
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 */
export function ensureK6(root, toolchain) {
  return ensureTool(root, toolchain, { name: "k6", script: "find-k6.ts", variable: "K6_BIN" });
}

/**
 * promtool, which the tests check metrics with.
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 */
export function ensurePromtool(root, toolchain) {
  const script = "find-promtool.ts";
  return ensureTool(root, toolchain, { name: "promtool", script, variable: "PROMTOOL_BIN" });
}

/**
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 * @param {{ name: string, script: string, variable: string }} tool
 * @returns {Promise<import("./packages.mjs").Toolchain>}
 */
async function ensureTool(root, { nodePath, env }, { name, script, variable }) {
  const file = path.join(root, "tools", script);
  let told = "";
  const result = await runTool(nodePath, ["--disable-warning=ExperimentalWarning", file], {
    cwd: root,
    env,
    onErrorText: (text) => {
      told += text;
      const end = told.lastIndexOf("\n") + 1;
      const lines = told.slice(0, end);
      told = told.slice(end);
      process.stderr.write(lines);
    },
  });
  if (result.code !== 0) throw new SetupError(`no ${name} could be had; see above`);
  return { nodePath, env: { ...env, [variable]: result.stdout.trim() } };
}
