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
  return ensureTool(root, toolchain, { name: "k6", args: ["find-k6.ts"], variable: "K6_BIN" });
}

/** What the tests of rules, boards, deployments and networks run, by the variable of each. */
const TEST_TOOLS = {
  PROMTOOL_BIN: "promtool",
  AMTOOL_BIN: "amtool",
  KUSTOMIZE_BIN: "kustomize",
  KUBECONFORM_BIN: "kubeconform",
  KUBE_SCORE_BIN: "kube-score",
  TOXIPROXY_BIN: "toxiproxy",
};

/** What only the long tests run besides: it takes longest to build. */
const LONG_TEST_TOOLS = { PROMETHEUS_BIN: "prometheus" };

/**
 * The tools that only the tests need.
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 * @param {boolean} isAll
 */
export async function ensureTestTools(root, toolchain, isAll) {
  const tools = isAll ? { ...TEST_TOOLS, ...LONG_TEST_TOOLS } : TEST_TOOLS;
  let equipped = toolchain;
  for (const [variable, name] of Object.entries(tools)) {
    const args = ["find-go-tool.ts", name];
    equipped = await ensureTool(root, equipped, { name, args, variable });
  }
  return equipped;
}

/**
 * @param {string} root
 * @param {import("./packages.mjs").Toolchain} toolchain
 * @param {{ name: string, args: readonly string[], variable: string }} tool
 * @returns {Promise<import("./packages.mjs").Toolchain>}
 */
async function ensureTool(root, { nodePath, env }, { name, args, variable }) {
  const [script = "", ...rest] = args;
  const file = path.join(root, "tools", script);
  let told = "";
  const result = await runTool(nodePath, ["--disable-warning=ExperimentalWarning", file, ...rest], {
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
