/** The instants at which a canary is due: an absolute grid with a random phase and jitter. */

export interface Grid {
  /** Time of tick 0. */
  originMs: number;
  everyMs: number;
  jitterShare: number;
}

export interface Tick {
  /** Number of the tick on the grid. */
  index: number;
  /** When it is due, jitter included. */
  dueMs: number;
}

/** A grid whose first tick comes within one interval from now: probes do not start in step. */
export function newGrid(
  nowMs: number,
  { everyMs, jitterShare }: Pick<Grid, "everyMs" | "jitterShare">,
  random: () => number,
): Grid {
  return { originMs: nowMs + random() * everyMs, everyMs, jitterShare };
}

export function tickAt(grid: Grid, index: number, random: () => number): Tick {
  const jitterMs = random() * grid.jitterShare * grid.everyMs;
  return { index, dueMs: grid.originMs + index * grid.everyMs + jitterMs };
}

/** Ours: a start this much later than due is no longer that tick's. */
const LATE_SHARE = 0.5;

export interface Awakening {
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
export function awaken(grid: Grid, tick: Tick, nowMs: number): Awakening {
  const latenessMs = nowMs - tick.dueMs;
  if (latenessMs <= grid.everyMs * LATE_SHARE) {
    return { runs: true, skipped: 0, next: tick.index + 1 };
  }
  const next = Math.max(tick.index, Math.ceil((nowMs - grid.originMs) / grid.everyMs) - 1) + 1;
  return { runs: false, skipped: next - tick.index, next };
}
