/** Jobs that wait for a slot: by priority, then in the order that was chosen. */

import type { Priority } from "../catalogue/validation.ts";
import type { Choices } from "../choices.ts";
import type { Random } from "../random.ts";
import type { Job } from "./job.ts";

/** One worker's slots and those who wait for them. */
export class WorkerQueue {
  private readonly lines: Record<Priority, Set<Job>> = {
    high: new Set(),
    normal: new Set(),
    low: new Set(),
  };
  private readonly slots: number;
  private readonly pick: (line: ReadonlySet<Job>) => Job | null;
  running = 0;

  constructor(slots: number, order: Choices["queueOrder"], random: Random) {
    this.slots = slots;
    this.pick = pickBy(order, random);
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
      const job = this.pick(line);
      if (job === null) continue;
      line.delete(job);
      this.running += 1;
      return job;
    }
    return null;
  }
}

/** The longest waiting job without looking at the others: lines may be long. */
function pickBy(order: Choices["queueOrder"], random: Random) {
  return (line: ReadonlySet<Job>): Job | null => {
    if (order === "fifo" || line.size === 0) return line.values().next().value ?? null;
    const at = order === "lifo" ? line.size - 1 : Math.floor(random() * line.size);
    return [...line][at] ?? null;
  };
}
