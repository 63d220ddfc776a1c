/** Keeps every core busy with something else, for as long as it is wanted. */

import { spawn } from "node:child_process";
import os from "node:os";

/** One process a core that does nothing but count; the function returned ends them. */
export function keepBusy(): () => void {
  const processes = os
    .cpus()
    .map(() => spawn(process.execPath, ["-e", "for (;;) {}"], { stdio: "ignore" }));
  const end = () => {
    for (const child of processes) child.kill("SIGKILL");
  };
  process.once("exit", end);
  return end;
}
