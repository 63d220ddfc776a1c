/** Starts a canary at each of its ticks until it is stopped. */

import type { Clock } from "../clock.ts";
import type { Grid, Tick } from "./ticks.ts";
import { awaken, newGrid, tickAt } from "./ticks.ts";

export interface ScheduleOptions {
  clock: Clock;
  random: () => number;
  everyMs: number;
  jitterShare: number;
  /** Called for each tick that is run, with how late it was. */
  onDue: (tick: Tick, lagMs: number) => void;
  onSkipped: (count: number) => void;
}

export interface Schedule {
  readonly nextDueMs: number;
  stop(): void;
}

export function startSchedule(options: ScheduleOptions): Schedule {
  const grid = newGrid(options.clock.nowMs(), options, options.random);
  return new RunningSchedule(grid, options);
}

class RunningSchedule implements Schedule {
  readonly #grid: Grid;
  readonly #options: ScheduleOptions;
  #tick: Tick;
  #callOff: () => void = () => {};

  constructor(grid: Grid, options: ScheduleOptions) {
    this.#grid = grid;
    this.#options = options;
    this.#tick = tickAt(grid, 0, options.random);
    this.#arm();
  }

  get nextDueMs(): number {
    return this.#tick.dueMs;
  }

  stop(): void {
    this.#callOff();
  }

  #arm(): void {
    this.#callOff = this.#options.clock.callAt(this.#tick.dueMs, () => this.#fire());
  }

  #fire(): void {
    const { clock, onDue, onSkipped, random } = this.#options;
    const nowMs = clock.nowMs();
    const tick = this.#tick;
    const { runs, skipped, next } = awaken(this.#grid, tick, nowMs);
    this.#tick = tickAt(this.#grid, next, random);
    this.#arm();
    if (skipped > 0) onSkipped(skipped);
    if (runs) onDue(tick, nowMs - tick.dueMs);
  }
}
