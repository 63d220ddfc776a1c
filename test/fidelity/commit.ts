/** The text that this checkout's draw comes from: its commit. */

import type { StdioOptions } from "node:child_process";
import { execFileSync } from "node:child_process";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Outside of git, as in an unpacked archive, always the same cells are drawn. */
const OUTSIDE_GIT = "outside of git";

export function commitText(): string {
  try {
    const quiet = ["ignore", "pipe", "ignore"] satisfies StdioOptions;
    const options = { cwd: ROOT, encoding: "utf8", stdio: quiet } as const;
    return execFileSync("git", ["rev-parse", "HEAD"], options).trim();
  } catch {
    return OUTSIDE_GIT;
  }
}
