/** Sees to it that a group of processes does not outlive this one, however this one ends. */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";

/** Waits for a line; where its input ends without one, whoever held the other end is gone. */
const SCRIPT = 'read -r line || kill -KILL "-$1"';

/**
 * Kills the group that `leader` leads when this process dies without a word, as by SIGKILL: k6
 * would go on submitting jobs that nobody follows. Gives back how to dismiss the guard once the
 * group is gone. Where there is no `sh`, or no descriptor for its input, nothing is guarded.
 */
export function guardGroup(leader: number): () => void {
  const guard: ChildProcess = spawn("sh", ["-c", SCRIPT, "orphan-guard", String(leader)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH },
  });
  guard.on("error", () => {});
  guard.stdin?.on("error", () => {});
  guard.unref();
  return () => void guard.stdin?.end("over\n");
}
