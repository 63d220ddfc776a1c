/** Runs a short command to its end and returns what it printed. */

import { execFile } from "node:child_process";
import { lackOfDescriptors } from "../contract/text/thrown.ts";

/** Ours: compilers and version commands say less than that. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

export interface CapturedOutput {
  /** -1 when the command could not be started or was stopped. */
  exitCode: number;
  stdout: string;
  stderr: string;
  /** True when there is no such command. */
  missing: boolean;
  /** True when it took longer than it was given. */
  timedOut: boolean;
}

interface CaptureOptions {
  env: Readonly<Record<string, string | undefined>>;
  timeLimitMs: number;
  cwd?: string;
  /** Ends the command early, by SIGINT, so that it can tidy up. */
  signal?: AbortSignal;
}

/**
 * What went wrong is in the result. Rejects only where no descriptor is left to start anything:
 * that says nothing of the command.
 */
export function captureOutput(
  command: string,
  args: readonly string[],
  { env, timeLimitMs, cwd, signal }: CaptureOptions,
): Promise<CapturedOutput> {
  const options = {
    env: { ...env },
    timeout: timeLimitMs,
    killSignal: "SIGKILL" as const,
    maxBuffer: OUTPUT_BYTES_MAX,
    ...(cwd === undefined ? {} : { cwd }),
  };
  return new Promise((resolve, reject) => {
    const onAbort = () => void child.kill("SIGINT");
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      signal?.removeEventListener("abort", onAbort);
      if (lackOfDescriptors(error) !== null) return reject(error);
      const code = error?.code;
      const exitCode = error === null ? 0 : typeof code === "number" ? code : -1;
      const timedOut = error?.killed === true && signal?.aborted !== true;
      resolve({ exitCode, stdout, stderr, missing: String(code) === "ENOENT", timedOut });
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
