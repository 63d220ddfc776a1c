/** Starts a canary at each of its ticks until it is stopped. */

import type { Clock } from "../clock.ts";

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

/** The instants at which a canary is due: an absolute grid with a random phase and jitter. */
interface Grid {
  /** Time of tick 0. */
  originMs: number;
  everyMs: number;
  jitterShare: number;
}

interface Tick {
  /** Number of the tick on the grid. */
  index: number;
  /** When it is due, jitter included. */
  dueMs: number;
}

/** A grid whose first tick comes within one interval from now: probes do not start in step. */
function newGrid(
  nowMs: number,
  { everyMs, jitterShare }: Pick<Grid, "everyMs" | "jitterShare">,
  random: () => number,
): Grid {
  return { originMs: nowMs + random() * everyMs, everyMs, jitterShare };
}

function tickAt(grid: Grid, index: number, random: () => number): Tick {
  const jitterMs = random() * grid.jitterShare * grid.everyMs;
  return { index, dueMs: grid.originMs + index * grid.everyMs + jitterMs };
}

/** Ours: a start this much later than due is no longer that tick's. */
const LATE_SHARE = 0.5;

interface Awakening {
  /** Whether the tick that was waited for is still to be run. */
  runs: boolean;
  /** Ticks that passed unused, this one among them when it is not run. */
  skipped: number;
  /** Index of the tick to wait for next. */
  next: number;
}

/**
 * What to do when a timer for the tick fires: after a pause of the process the ticks that passed
 * are given up, as a burst of them would measure the burst.
 */
function awaken(grid: Grid, tick: Tick, nowMs: number): Awakening {
  const latenessMs = nowMs - tick.dueMs;
  if (latenessMs <= grid.everyMs * LATE_SHARE) {
    return { runs: true, skipped: 0, next: tick.index + 1 };
  }
  const next = Math.max(tick.index, Math.ceil((nowMs - grid.originMs) / grid.everyMs) - 1) + 1;
  return { runs: false, skipped: next - tick.index, next };
}
