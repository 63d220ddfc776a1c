/** Finds or builds k6 by way of runner/, and hands it on in K6_BIN. */

import path from "node:path";
import { runTool } from "./child.mjs";
import { SetupError } from "./progress.mjs";

/**
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 * @returns {Promise<import("./packages.mjs").Toolchain>}
 */
export async function ensureK6(root, { nodePath, env }) {
  const script = path.join(root, "tools", "find-k6.ts");
  const args = ["--disable-warning=ExperimentalWarning", script];
  let told = "";
  const result = await runTool(nodePath, args, {
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
  if (result.code !== 0) throw new SetupError("no k6 to run the scenarios with; see above");
  return { nodePath, env: { ...env, K6_BIN: result.stdout.trim() } };
}
