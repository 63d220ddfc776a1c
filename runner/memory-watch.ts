/** Sees a child process outgrow its memory, before the machine runs out of it. */

import { readFile } from "node:fs/promises";
import os from "node:os";

/** Ours: at a gigabyte a second, which loopback carries, a tenth of one comes between readings. */
const INTERVAL_MS = 100;

/**
 * Ours: four times the heap that k6 is told to keep to (GO_MEMORY). k6 reads an answer whole,
 * whatever its length: one without end, or one that unpacks to a thousand times its size, takes all
 * there is.
 */
const BYTES_MAX = 4 * 1024 ** 3;

/** Ours: on a small machine, or in a small container, the others still need to live. */
const MACHINE_SHARE = 0.75;

/** What the process of one scenario may take here, in bytes. */
export function scenarioMemoryMax(): number {
  const limit = process.constrainedMemory();
  const machine = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
  return Math.min(BYTES_MAX, machine * MACHINE_SHARE);
}

/**
 * Calls once when the process holds more than so many bytes. Gives back how to end the watch. Where
 * the system does not tell (other than Linux), nothing is watched.
 */
export function watchMemory(pid: number, bytesMax: number, onExceeded: () => void): () => void {
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const timer = setInterval(async () => {
    const bytes = await residentBytes(pid);
    // On a busy machine a read may outlast the next tick, and the watch itself.
    if (isOver || bytes <= bytesMax) return;
    end();
    onExceeded();
  }, INTERVAL_MS);
  return end;
}

/** `VmRSS` of proc_pid_status(5); 0 where it can't be read. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
