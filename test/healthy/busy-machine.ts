/** Keeps every core busy with something else, for as long as it is wanted. */

import { spawn } from "node:child_process";
import os from "node:os";

interface Busy {
  /** Processes a core. */
  perCore: number;
  /** They end by themselves then, even when whoever began them was killed. */
  limitMs: number;
  /** How far they stand back (nice(1)). */
  niceness: number;
}

/** Ours: a day, longer than any run that they are to disturb. */
const ALONE: Busy = { perCore: 1, limitMs: 86_400_000, niceness: 0 };

/** Processes that do nothing but count; the function returned ends them. */
export function keepBusy({ perCore, limitMs, niceness }: Busy = ALONE): () => void {
  const script = `const end = Date.now() + ${limitMs}; while (Date.now() < end);`;
  const count = perCore * os.availableParallelism();
  const processes = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    if (child.pid !== undefined) os.setPriority(child.pid, niceness);
    return child;
  });
  const end = () => {
    for (const child of processes) child.kill("SIGKILL");
  };
  process.once("exit", end);
  return end;
}
