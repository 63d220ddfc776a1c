/**
 * When to poll a job. Where its end is likely polls stand close together, and a floor over the
 * rest of the time to the deadline finds jobs that do what no job did before. For many polls that
 * is a density by a root of the hazard; for a handful the best places are found exactly, backwards
 * from the last one.
 */

import type { Density } from "./durations.ts";
import { cellOf, cellStartMs } from "./durations.ts";

/** Where each poll goes that is left, for every moment of the last one. */
export interface PollPlan {
  /** Places of polls, since the submission, which is the first of them; the last: the deadline. */
  readonly timesMs: readonly number[];
  /** By polls left, by place of the last poll: place of the next. */
  readonly next: readonly (readonly number[])[];
}

/** Ours: this share of the jobs is expected where none has ended yet. */
const FLOOR_SHARE = 0.01;
/** Ours: between two places no more of the jobs end than this, or the time grows by an eighth. */
const MASS_STEP = 0.002;
const FLOOR_CELLS = 12;
/** Ours: closer polls would only measure the connection. */
const SPACING_MS_MIN = 25;
/** Ours: a poll sooner than this finds every job where it was accepted. */
const FIRST_POLL_MS = 250;

/**
 * Time since the submission of the next poll, with so many left before the deadline; without any
 * it is the deadline.
 */
export function nextPollMs(plan: PollPlan, elapsedMs: number, pollsLeft: number): number {
  const deadlineMs = plan.timesMs.at(-1) ?? 0;
  const row = plan.next[Math.min(pollsLeft, plan.next.length - 1)];
  if (pollsLeft <= 0 || row === undefined) return deadlineMs;
  const last = Math.max(0, placeAfter(plan.timesMs, elapsedMs) - 1);
  const nextMs = plan.timesMs[row[last] ?? plan.timesMs.length - 1] ?? deadlineMs;
  return Math.min(deadlineMs, Math.max(nextMs, elapsedMs + SPACING_MS_MIN));
}

/** Index of the first place later than that; by halving. */
function placeAfter(timesMs: readonly number[], ms: number): number {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesMs[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The best places for up to `polls` polls, and one more at the deadline for who outlives them. */
export function planPolls(density: Density | null, deadlineMs: number, polls: number): PollPlan {
  const { timesMs, passed } = placesOf(density, deadlineMs);
  const places = timesMs.length;
  const between = costsBetween(timesMs, passed);
  let costs = timesMs.map((_, at) => between[at * places + places - 1] ?? 0);
  const next = [timesMs.map(() => places - 1)];
  for (let left = 1; left <= polls; left += 1) {
    const best = timesMs.map((_, at) => bestNext(at, places, between, costs));
    next.push(best.map(({ place }) => place));
    costs = best.map((each) => each.cost);
  }
  return { timesMs, next };
}

/** What two polls cost that have none between them, for all pairs of places. */
function costsBetween(timesMs: readonly number[], passed: readonly number[]): Float64Array {
  const places = timesMs.length;
  const costs = new Float64Array(places * places);
  timesMs.forEach((startMs, start) => {
    for (let end = start + 1; end < places; end += 1) {
      const mass = (passed[end] ?? 0) - (passed[start] ?? 0);
      costs[start * places + end] = mass * cost((timesMs[end] ?? 0) - startMs);
    }
  });
  return costs;
}

/**
 * The next place that makes the bounds narrowest, the polls after it being best placed. What lies
 * between costs more with each place: once that alone is too much, no later place is better.
 */
function bestNext(
  last: number,
  places: number,
  between: Float64Array,
  costs: readonly number[],
): { place: number; cost: number } {
  if (last === places - 1) return { place: last, cost: 0 };
  let best = { place: places - 1, cost: Number.POSITIVE_INFINITY };
  for (let place = last + 1; place < places; place += 1) {
    const least = between[last * places + place] ?? 0;
    if (least >= best.cost) break;
    const sum = least + (costs[place] ?? 0);
    if (sum < best.cost) best = { place, cost: sum };
  }
  return best;
}

/**
 * What bounds so far apart cost: their width to the power of 3/4. Ours: the square, which asks for
 * the cube root of the hazard, would spend most of a handful of polls on the rare job that is late.
 */
function cost(widthMs: number): number {
  return Math.sqrt(widthMs * Math.sqrt(widthMs));
}

/** Times at which a poll may be placed, with the share of jobs that have ended by then. */
function placesOf(density: Density | null, deadlineMs: number) {
  const firstMs = Math.min(FIRST_POLL_MS, deadlineMs / 2);
  const [firstCell, cells] = [cellOf(firstMs), cellOf(deadlineMs) - cellOf(firstMs) + 1];
  const floor = (density === null ? 1 : FLOOR_SHARE) / cells;
  const timesMs = [0];
  const passed = [0];
  let [sum, taken, cellsSince] = [0, 0, FLOOR_CELLS];
  for (let cell = firstCell; cell < firstCell + cells; cell += 1) {
    const learnt = density?.mass[cell - density.firstCell] ?? 0;
    const startMs = cellStartMs(cell);
    const isPlace = sum + learnt - taken >= MASS_STEP || cellsSince >= FLOOR_CELLS;
    if (isPlace && startMs >= firstMs) {
      timesMs.push(startMs);
      passed.push(sum);
      [taken, cellsSince] = [sum, 0];
    }
    sum += floor + learnt * (1 - FLOOR_SHARE);
    cellsSince += 1;
  }
  return { timesMs: [...timesMs, deadlineMs], passed: [...passed, sum] };
}
