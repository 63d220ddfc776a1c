/**
 * Notices what a monotonic clock can't show: that the machine slept, and that its clock was set.
 * A process that merely stood still needs no notice, as its clock went on.
 */

import os from "node:os";
import { performance } from "node:perf_hooks";

import { beats } from "../clock/beats.ts";
import type { Clock } from "./clock.ts";

/** The three counts of a machine, in milliseconds; only their differences mean anything. */
export interface Readings {
  /** Stands still while the machine sleeps, and can't be set. */
  monotonicMs: number;
  /** Goes on while the machine sleeps, and can't be set. */
  bootMs: number;
  /** Goes on, and can be set. */
  wallMs: number;
}

export interface Disturbance {
  /** How long the machine slept; 0 when it did not. */
  sleptMs: number;
  /** By how much its clock was set, forwards or (below 0) backwards; 0 when it was not. */
  steppedMs: number;
}

/** Ours: the counts are read one after the other, and some systems tell the uptime in seconds. */
const NOISE_MS = 1_500;
/** Ours: soon enough for figures that a sleep spoils not to be taken for good ones. */
const CHECK_MS = 1_000;

/** What happened between two readings; null when nothing did. */
export function disturbanceOf(before: Readings, after: Readings): Disturbance | null {
  const by = (count: keyof Readings) => after[count] - before[count];
  const real = (ms: number) => (Math.abs(ms) < NOISE_MS ? 0 : ms);
  const sleptMs = Math.max(0, real(by("bootMs") - by("monotonicMs")));
  const steppedMs = real(by("wallMs") - Math.max(by("bootMs"), by("monotonicMs")));
  return sleptMs === 0 && steppedMs === 0 ? null : { sleptMs, steppedMs };
}

export function readMachine(): Readings {
  return { monotonicMs: performance.now(), bootMs: os.uptime() * 1_000, wallMs: Date.now() };
}

/** Checks from time to time until it is ended by what it gives back. */
export function watchClocks(
  clock: Clock,
  read: () => Readings,
  onDisturbance: (what: Disturbance) => void,
): () => void {
  let before = read();
  return beats(clock, CHECK_MS, () => {
    const after = read();
    const what = disturbanceOf(before, after);
    before = after;
    if (what !== null) onDisturbance(what);
  });
}
