/**
 * How long the jobs of a canary take, learnt from intervals: each earlier job ended somewhere
 * between two bounds. Self-consistency (Turnbull, 1976) finds the distribution that fits them.
 */

import type { Interval } from "./interval.ts";

/** Ours: the last jobs tell what the next will do; more would hide a change. */
const KEPT_MAX = 64;
/** Ours: cells of 1 % are finer than any figure that is promised of the bounds. */
const GROWTH = 1.01;
/** Ours: no job of a service that queues ends sooner. */
const SHORTEST_MS = 10;
/** Ours: the estimate has settled long before, and each round is some thousand additions. */
const ROUNDS = 30;
/** Ours: half a cell more on both sides, so that an exact time is no point without width. */
const SPREAD_CELLS = 2;

/** Mass by cell; cell i begins at SHORTEST_MS x GROWTH^i. */
export interface Density {
  readonly firstCell: number;
  readonly mass: readonly number[];
}

export class Durations {
  #intervals: Interval[] = [];
  #density: Density | null = null;
  #stale = false;

  /** Adds a job's duration as far as it is known. */
  learn(duration: Interval): void {
    this.#intervals = [...this.#intervals, duration].slice(-KEPT_MAX);
    this.#stale = true;
  }

  /** null before the first job ended. */
  density(): Density | null {
    if (this.#stale) this.#density = estimate(this.#intervals);
    this.#stale = false;
    return this.#density;
  }
}

export function cellOf(ms: number): number {
  return Math.max(0, Math.floor(Math.log(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) / LOG_GROWTH));
}

export function cellStartMs(cell: number): number {
  return SHORTEST_MS * GROWTH ** cell;
}

const LOG_GROWTH = Math.log(GROWTH);

function estimate(intervals: readonly Interval[]): Density | null {
  if (intervals.length === 0) return null;
  const spans = intervals.map(({ lowMs, highMs }) => ({
    from: Math.max(0, cellOf(lowMs) - SPREAD_CELLS),
    to: cellOf(highMs) + SPREAD_CELLS,
  }));
  const firstCell = Math.min(...spans.map(({ from }) => from));
  const cells = Math.max(...spans.map(({ to }) => to)) - firstCell + 1;
  let mass = new Array<number>(cells).fill(1 / cells);
  for (let round = 0; round < ROUNDS; round += 1) {
    mass = smoothed(consistent(mass, spans, firstCell));
  }
  return { firstCell, mass };
}

/** Each job's share goes to the cells of its span in proportion to what they hold. */
function consistent(
  mass: readonly number[],
  spans: readonly { from: number; to: number }[],
  firstCell: number,
): number[] {
  const next = new Array<number>(mass.length).fill(0);
  for (const { from, to } of spans) {
    const [start, end] = [from - firstCell, to - firstCell];
    let held = 0;
    for (let cell = start; cell <= end; cell += 1) held += mass[cell] ?? 0;
    if (held === 0) continue;
    for (let cell = start; cell <= end; cell += 1) {
      next[cell] = (next[cell] ?? 0) + (mass[cell] ?? 0) / held / spans.length;
    }
  }
  return next;
}

/**
 * Self-consistency alone ends in spikes, between which no look would be placed. Smoothing in each
 * round (Silverman et al., 1990) keeps the tails that looks at the edges depend on.
 */
function smoothed(mass: readonly number[]): number[] {
  return mass.map((own, cell) => {
    const [left, right] = [mass[cell - 1] ?? own, mass[cell + 1] ?? own];
    return (left + 2 * own + right) / 4;
  });
}
