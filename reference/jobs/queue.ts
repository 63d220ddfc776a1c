/** Jobs that wait for a slot: by priority, then in the order of their arrival. */

import type { Priority } from "../catalogue/validation.ts";
import type { Job } from "./job.ts";

/** One worker's slots and those who wait for them. */
export class WorkerQueue {
  private readonly lines: Record<Priority, Set<Job>> = {
    high: new Set(),
    normal: new Set(),
    low: new Set(),
  };
  private readonly slots: number;
  running = 0;

  constructor(slots: number) {
    this.slots = slots;
  }

  get waiting(): number {
    return this.lines.high.size + this.lines.normal.size + this.lines.low.size;
  }

  add(job: Job): void {
    this.lines[job.priority].add(job);
  }

  /** True when the job was waiting. */
  remove(job: Job): boolean {
    return this.lines[job.priority].delete(job);
  }

  /** The next job, when there is one and a slot for it; the slot is taken then. */
  next(): Job | null {
    if (this.running >= this.slots) return null;
    for (const line of [this.lines.high, this.lines.normal, this.lines.low]) {
      for (const job of line) {
        line.delete(job);
        this.running += 1;
        return job;
      }
    }
    return null;
  }
}
