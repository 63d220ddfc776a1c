/**
 * When to look at a job next. For a given number of looks the mean squared width of the bounds is
 * least where their density goes by the cube root of the chance that the job ends there; a floor
 * over the rest of the time to the deadline finds jobs that do what no job did before.
 */

import type { Density } from "./durations.ts";
import { cellOf, cellStartMs } from "./durations.ts";

export interface PollPlan {
  /** Since the submission. */
  elapsedMs: number;
  deadlineMs: number;
  /** Looks that are left, the one at the deadline among them. */
  pollsLeft: number;
  /** What is known of the duration; null before the first job ended. */
  density: Density | null;
}

/** Ours: of the looks, this share goes to where no job has ended yet. */
const FLOOR_SHARE = 0.15;
/** Ours: closer looks would only measure the connection. */
const SPACING_MS_MIN = 25;
/** Ours: a look sooner than this finds every job where it was accepted. */
const FIRST_LOOK_MS = 250;

/** Time since the submission of the next look; null when none is left. */
export function nextPollMs(plan: PollPlan): number | null {
  const { elapsedMs, deadlineMs, pollsLeft } = plan;
  if (pollsLeft <= 0 || elapsedMs >= deadlineMs) return null;
  if (pollsLeft === 1) return deadlineMs;
  const fromCell = cellOf(Math.max(elapsedMs, FIRST_LOOK_MS));
  const toCell = cellOf(deadlineMs);
  const weights = weightsOf(plan.density, fromCell, toCell);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const wanted = total / pollsLeft;
  let passed = 0;
  for (const [index, weight] of weights.entries()) {
    if (passed + weight >= wanted) {
      const share = weight === 0 ? 1 : (wanted - passed) / weight;
      const atMs = between(fromCell + index, share);
      return Math.min(deadlineMs, Math.max(atMs, elapsedMs + SPACING_MS_MIN));
    }
    passed += weight;
  }
  return deadlineMs;
}

function between(cell: number, share: number): number {
  const startMs = cellStartMs(cell);
  return startMs + share * (cellStartMs(cell + 1) - startMs);
}

/** Looks by cell: the learnt part and the floor, which is even in the logarithm of time. */
function weightsOf(density: Density | null, fromCell: number, toCell: number): readonly number[] {
  const cells = Math.max(1, toCell - fromCell + 1);
  const learnt = Array.from({ length: cells }, (_, index) => cubeRoot(density, fromCell + index));
  const total = learnt.reduce((sum, weight) => sum + weight, 0);
  const floor = (total === 0 ? 1 : FLOOR_SHARE) / cells;
  return learnt.map((weight) => floor + (total === 0 ? 0 : ((1 - FLOOR_SHARE) * weight) / total));
}

/** Cube root of the chance per millisecond, times the cell's length in milliseconds. */
function cubeRoot(density: Density | null, cell: number): number {
  const mass = density?.mass[cell - density.firstCell] ?? 0;
  if (mass === 0) return 0;
  const lengthMs = cellStartMs(cell + 1) - cellStartMs(cell);
  return Math.cbrt(mass / lengthMs) * lengthMs;
}
