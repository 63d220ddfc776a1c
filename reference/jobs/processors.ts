/** Processors that runs share: egalitarian processor sharing, by virtual time. */

import { performance } from "node:perf_hooks";
import type { Timers } from "../clock.ts";

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
  private readonly timers: Timers;
  private readonly runs = new Set<Run>();
  private virtualMs = 0;
  private lookedAtMs = performance.now();
  private callOff: () => void = () => {};

  constructor(processors: number, timers: Timers) {
    this.processors = processors;
    this.timers = timers;
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
    const nowMs = performance.now();
    this.virtualMs += (nowMs - this.lookedAtMs) * this.speed;
    this.lookedAtMs = nowMs;
  }

  private arm(): void {
    this.callOff();
    const nextMs = Math.min(...[...this.runs].map(({ dueMs }) => dueMs));
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, nextMs - this.virtualMs) / this.speed;
    this.callOff = this.timers.after(waitMs, () => this.finish());
  }

  /** Ours: sums of fractions of milliseconds miss their mark by less. */
  private finish(): void {
    this.advance();
    const over = [...this.runs].filter(({ dueMs }) => dueMs <= this.virtualMs + 1e-6);
    for (const run of over) this.runs.delete(run);
    this.arm();
    for (const { done } of over) done();
  }
}
