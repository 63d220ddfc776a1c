/**
 * How much of the permitted error each look at growing data may spend, so that looking often does
 * not make chance findings likely. Sources: Lan & DeMets, "Discrete sequential boundaries for
 * clinical trials", Biometrika 70 (1983); Armitage, McPherson & Rowe, JRSS A 132 (1969).
 */

import { normalBelow, normalQuantile } from "./distributions.ts";

/** Ours: what less than that would be spent on is left for the next look; tails end somewhere. */
const SPENT_MIN = 1e-12;
/** Ours: points of the integration; twice as many change no level by more than 1 in 1,000. */
const POINTS = 160;
const BISECTIONS = 44;

/**
 * Two-sided error spent until a share `information` of the data is there: almost nothing early on,
 * `alpha` at the end. Lan & DeMets (1983), the function that resembles O'Brien and Fleming's
 * boundaries, with half of `alpha` for each side.
 */
export function spentUntil(alpha: number, information: number): number {
  if (information <= 0) return 0;
  return 4 * normalBelow(normalQuantile(alpha / 4) / Math.sqrt(Math.min(1, information)));
}

/**
 * One-sided nominal level of each look, for a two-sided error of `alpha` in all; 0 for a look at
 * which nothing can be found yet. `information`: rising shares of the data, up to 1.
 */
export function nominalLevels(alpha: number, information: readonly number[]): number[] {
  const levels: number[] = [];
  let density: Density | null = null;
  let before = 0;
  let spent = 0;
  for (const share of information) {
    const owed = spentUntil(alpha, share) - spent;
    const step = { density, deviation: Math.sqrt(share - before) };
    const bound = owed < SPENT_MIN ? Number.POSITIVE_INFINITY : boundFor(step, owed);
    if (Number.isFinite(bound)) spent += owed;
    levels.push(Number.isFinite(bound) ? normalBelow(-bound / Math.sqrt(share)) : 0);
    density = densityWithin(step, Math.min(bound, REACH * Math.sqrt(share)));
    before = share;
  }
  return levels;
}

/** Ours: where a bound is infinite the density is followed that many deviations far. */
const REACH = 8;

/** The score process at one look, among those that have crossed no bound before; symmetric. */
interface Density {
  points: Float64Array;
  /** Simpson's weight times density at each point. */
  masses: Float64Array;
}

interface Step {
  /** At the look before; null: the process starts at 0. */
  density: Density | null;
  /** Of what is added between the looks. */
  deviation: number;
}

/** The bound that is crossed for the first time, on either side, with that probability. */
function boundFor(step: Step, probability: number): number {
  let [low, high] = [0, 40 * Math.max(step.deviation, 1)];
  for (let n = 0; n < BISECTIONS; n++) {
    const middle = (low + high) / 2;
    if (crossing(step, middle) > probability) low = middle;
    else high = middle;
  }
  return high;
}

function crossing({ density, deviation }: Step, bound: number): number {
  if (density === null) return 2 * normalBelow(-bound / deviation);
  let total = 0;
  for (const [at, point] of density.points.entries()) {
    const mass = density.masses[at] ?? 0;
    total +=
      mass * (normalBelow((point - bound) / deviation) + normalBelow((-point - bound) / deviation));
  }
  return total;
}

function densityWithin({ density, deviation }: Step, bound: number): Density {
  const points = new Float64Array(POINTS + 1);
  const masses = new Float64Array(POINTS + 1);
  const width = (2 * bound) / POINTS;
  for (let at = 0; at <= POINTS; at++) {
    const point = -bound + at * width;
    const weight = at === 0 || at === POINTS ? 1 : at % 2 === 1 ? 4 : 2;
    points[at] = point;
    masses[at] = ((weight * width) / 3) * densityAt(density, point, deviation);
  }
  return { points, masses };
}

function densityAt(density: Density | null, point: number, deviation: number): number {
  if (density === null) return bell(point / deviation) / deviation;
  let total = 0;
  for (const [at, from] of density.points.entries()) {
    total += (density.masses[at] ?? 0) * bell((point - from) / deviation);
  }
  return total / deviation;
}

function bell(z: number): number {
  return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
}
