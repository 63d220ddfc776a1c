/** Which k6 the scenarios need, and how a binary is asked what it is. */

import { captureOutput } from "./capture-output.ts";

/** The version that is built or fetched; tools/k6/go.mod pins the same. */
export const K6_VERSION = "2.2.0";

/** Major version whose script interface the scenarios are written for. */
const K6_MAJOR = 2;

/** Ours: a k6 that needs longer to say its version is not one to measure with. */
const VERSION_TIME_LIMIT_MS = 15_000;

/** The version that a binary states, such as "2.2.0"; null when it is no k6 or does not start. */
export async function readK6Version(path: string): Promise<string | null> {
  const result = await captureOutput(path, ["version"], {
    env: { ...process.env, K6_AUTO_EXTENSION_RESOLUTION: "false" },
    timeLimitMs: VERSION_TIME_LIMIT_MS,
  });
  if (result.exitCode !== 0) return null;
  return /\bk6(?:\.exe)? v(\d+\.\d+\.\d+\S*)/.exec(result.stdout)?.[1] ?? null;
}

export function isFittingVersion(version: string): boolean {
  return Number.parseInt(version, 10) === K6_MAJOR;
}
