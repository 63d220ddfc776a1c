/** Runs the real command line as a child process. */

import { spawn } from "node:child_process";
import { MAIN, MAIN_ENVIRONMENT } from "./main-file.ts";

export interface CliRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): unknown;
}

export interface CliOptions {
  environment?: Readonly<Record<string, string>>;
  cwd?: string;
  /** The file to run, where it has to be this one. */
  main?: string;
  /** Called with all that was written to stderr so far, whenever there is more. */
  onStderr?: (text: string, child: RunningCli) => void;
  onStdout?: (text: string, child: RunningCli) => void;
}

/** Of this process's environment only what finding tools needs is passed on. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "K6_BIN",
  "PLUMBLINE_CACHE",
  "XDG_CACHE_HOME",
  "TMPDIR",
  "NODE_COMPILE_CACHE",
];

/** What a run is given: what is passed on, and its own, which comes first. */
export function environmentOf(own: Readonly<Record<string, string>> = {}) {
  const inherited = PASSED_ON.map((name) => [name, process.env[name]] as const);
  return { ...Object.fromEntries(inherited), ...MAIN_ENVIRONMENT, ...own };
}

export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const env = environmentOf(options.environment);
  const cwd = options.cwd ?? process.cwd();
  const child = spawn(process.execPath, [options.main ?? MAIN, ...args], { env, cwd });
  const run: CliRun = { exitCode: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    run.stdout += text;
    options.onStdout?.(run.stdout, child);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    run.stderr += text;
    options.onStderr?.(run.stderr, child);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ ...run, exitCode }));
  });
}
