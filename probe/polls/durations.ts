/**
 * How long the jobs of a canary take, learnt from intervals: each earlier job ended somewhere
 * between two bounds. Self-consistency (Turnbull, 1976) finds the distribution that fits them.
 */

import type { Interval } from "../../contract/timeline/interval.ts";

/** Ours: more would hide a change, and the oldest hardly count any more. */
const KEPT_MAX = 160;
/** Ours: each job counts by this much less than the next, so that 46 jobs halve its weight. */
const FADING = 0.985;
/** Ours: cells of 1 % are finer than any figure that is promised of the bounds. */
const GROWTH = 1.01;
/** Ours: no job of a service that queues ends sooner. */
const SHORTEST_MS = 10;
/** Ours: the estimate has settled long before. */
const ROUNDS = 20;
/** Ours: cells more on both sides, so that an exact time is no point without width. */
const SPREAD_CELLS = 2;

/** Mass by cell; cell i begins at SHORTEST_MS x GROWTH^i. */
export interface Density {
  readonly firstCell: number;
  readonly mass: Masses;
}

type Masses = Float64Array<ArrayBuffer>;

export class Durations {
  #intervals: Interval[] = [];
  #density: Density | null = null;
  #learnt = 0;
  #estimatedAt = 0;

  /** Adds a job's duration as far as it is known. */
  learn(duration: Interval): void {
    this.#intervals = [...this.#intervals, duration].slice(-KEPT_MAX);
    this.#learnt += 1;
  }

  /** How many jobs were learnt from. */
  get learnt(): number {
    return this.#learnt;
  }

  /** null before the first job ended. */
  density(): Density | null {
    if (this.#estimatedAt !== this.#learnt) this.#density = estimate(this.#intervals);
    this.#estimatedAt = this.#learnt;
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

/** Cells in which a job may have ended, counted from the first of all, and the job's weight. */
interface Span {
  from: number;
  to: number;
  weight: number;
}

function estimate(intervals: readonly Interval[]): Density | null {
  if (intervals.length === 0) return null;
  const froms = intervals.map(({ lowMs }) => Math.max(0, cellOf(lowMs) - SPREAD_CELLS));
  const firstCell = Math.min(...froms);
  const spans = intervals.map(({ highMs }, index): Span => {
    return {
      from: (froms[index] ?? 0) - firstCell,
      to: cellOf(highMs) + SPREAD_CELLS - firstCell,
      weight: FADING ** (intervals.length - 1 - index),
    };
  });
  const total = spans.reduce((sum, { weight }) => sum + weight, 0);
  for (const span of spans) span.weight /= total;
  const cells = Math.max(...spans.map(({ to }) => to)) + 1;
  let mass = new Float64Array(cells).fill(1 / cells);
  for (let round = 0; round < ROUNDS; round += 1) mass = smoothed(consistent(mass, spans));
  return { firstCell, mass };
}

/**
 * Each job's share goes to the cells of its span in proportion to what they hold. By running sums,
 * so that a round costs as much as there are cells and jobs, not their product.
 */
function consistent(mass: Masses, spans: readonly Span[]): Masses {
  const held = new Float64Array(mass.length + 1);
  for (let cell = 0; cell < mass.length; cell += 1)
    held[cell + 1] = at(held, cell) + at(mass, cell);
  const steps = new Float64Array(mass.length + 1);
  for (const { from, to, weight } of spans) {
    const share = at(held, to + 1) - at(held, from);
    if (share <= 0) continue;
    steps[from] = at(steps, from) + weight / share;
    steps[to + 1] = at(steps, to + 1) - weight / share;
  }
  const next = new Float64Array(mass.length);
  let factor = 0;
  for (let cell = 0; cell < mass.length; cell += 1) {
    factor += at(steps, cell);
    next[cell] = at(mass, cell) * Math.max(0, factor);
  }
  return next;
}

/**
 * Self-consistency alone ends in spikes, between which no poll would be placed. Smoothing in each
 * round (Silverman et al., 1990) keeps the tails that polls at the edges depend on.
 */
function smoothed(mass: Masses): Masses {
  const next = new Float64Array(mass.length);
  const last = mass.length - 1;
  for (let cell = 0; cell <= last; cell += 1) {
    const around = at(mass, Math.max(0, cell - 1)) + at(mass, Math.min(last, cell + 1));
    next[cell] = (around + 2 * at(mass, cell)) / 4;
  }
  return next;
}

function at(values: Masses, index: number): number {
  return values[index] ?? 0;
}
