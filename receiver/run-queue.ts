/**
 * How many threads of this machine want a core at once: a local service among many is slow through
 * no fault of its own, even where this process is not.
 */

import { readFileSync } from "node:fs";
import os from "node:os";

/** Ours: a mean over the last seconds, without a load of its own. */
const EVERY_MS = 100;
const SAMPLES_MAX = 20;

export class RunQueue {
  readonly #samples: number[] = [];

  start(): void {
    setInterval(() => this.#take(), EVERY_MS).unref();
  }

  /** Runnable threads a core, this one left out; the mean of the last 2 s. */
  perCore(): number {
    const sum = this.#samples.reduce((total, each) => total + each, 0);
    return sum / Math.max(1, this.#samples.length);
  }

  #take(): void {
    this.#samples.push(runnablePerCore());
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }
}

/** Now. */
export function runnablePerCore(): number {
  return runnableThreads() / os.availableParallelism();
}

/** Linux tells it at once in the fourth field, "2/345"; elsewhere a minute's mean must do. */
function runnableThreads(): number {
  try {
    const [, , , running = ""] = readFileSync("/proc/loadavg", "utf8").split(" ");
    return Math.max(0, Number.parseInt(running, 10) - 1);
  } catch {
    return os.loadavg()[0] ?? 0;
  }
}
