/** Processors that runs share: egalitarian processor sharing, by virtual time. */

import type { Clock } from "../../contract/time/clock.ts";

/** Ours: milliseconds since the epoch are told apart to 0.00024, and a few of them add up. */
const RESOLUTION_MS = 0.001;

interface Run {
  /** Virtual time at which its work is done. */
  dueMs: number;
  done: () => void;
}

/**
 * Up to `processors` runs go at full speed; more of them share that evenly, so that each takes
 * longer. Virtual time passes as fast as each run works. Source: Kleinrock, "Queueing Systems",
 * volume 2, on processor sharing.
 */
export class Processors {
  private readonly processors: number;
  private readonly clock: Clock;
  private readonly runs = new Set<Run>();
  private virtualMs = 0;
  private updatedAtMs: number;
  private callOff: () => void = () => {};

  constructor(processors: number, clock: Clock) {
    this.processors = processors;
    this.clock = clock;
    this.updatedAtMs = clock.nowMs();
  }

  /** Calls back when so much work is done; gives back a function that breaks the run off. */
  start(workMs: number, done: () => void): () => void {
    this.advance();
    const run = { dueMs: this.virtualMs + workMs, done };
    this.runs.add(run);
    this.arm();
    return () => {
      this.advance();
      this.runs.delete(run);
      this.arm();
    };
  }

  private get speed(): number {
    return Math.min(1, this.processors / Math.max(1, this.runs.size));
  }

  private advance(): void {
    const nowMs = this.clock.nowMs();
    this.virtualMs += (nowMs - this.updatedAtMs) * this.speed;
    this.updatedAtMs = nowMs;
  }

  private arm(): void {
    this.callOff();
    const nextMs = Math.min(...[...this.runs].map(({ dueMs }) => dueMs));
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, nextMs - this.virtualMs) / this.speed;
    this.callOff = this.clock.after(waitMs, () => this.finish());
  }

  private finish(): void {
    this.advance();
    const over = [...this.runs].filter(({ dueMs }) => dueMs <= this.virtualMs + RESOLUTION_MS);
    for (const run of over) this.runs.delete(run);
    this.arm();
    for (const { done } of over) done();
  }
}
