/** Runs a scenario of a load in a process of Node's, with the same evidence as k6 leaves. */

import path from "node:path";
import { revealed } from "../contract/text/secret.ts";
import { ROOT } from "./package-root.ts";
import type { PrivateFiles, ScenarioOptions, ScenarioRun } from "./scenario-process.ts";
import { callersEnvironment, runProcess } from "./scenario-process.ts";

/** Beside compiled code it is compiled, too. */
const PROGRAM =
  path.extname(import.meta.filename) === ".js"
    ? path.join(ROOT, "dist", "generator", "main.js")
    : path.join(ROOT, "generator", "main.ts");

/**
 * Ours: most of what a load makes is garbage within a second; in a larger young generation it dies
 * before it is copied.
 */
const NODE_OPTIONS = ["--max-semi-space-size=32"];

/** `scenario`: its name. Never rejects for what the process does, as `runProcess`. */
export function runInNode(options: ScenarioOptions, scenario: string): Promise<ScenarioRun> {
  const invocationOf = (files: PrivateFiles) => ({
    program: process.execPath,
    args: [...NODE_OPTIONS, PROGRAM, scenario],
    env: {
      ...callersEnvironment(),
      ...revealed(options.secrets),
      PLUMBLINE_PLAN: files.plan,
    },
    writesToStdout: true as const,
  });
  return runProcess(options, invocationOf);
}
