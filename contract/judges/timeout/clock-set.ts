/**
 * Explains jobs that seem to have been stopped before their limit by a clock that was set back once
 * while they ran. A clock that was set forward needs no explanation: it is set by too little to
 * make a job seem too late.
 */

import type { Sample } from "../../judging/claim.ts";
import { standing } from "../../judging/standing.ts";
import { ANY_MS } from "../../timeline/interval.ts";
import type { Suspect } from "../job/clock-set.ts";
import { clockSet, setInRun } from "../job/clock-set.ts";
import type { JobReading } from "../job/reading.ts";
import type { LimitBounds } from "./bounds.ts";

/** Ours: the clock's part of the tolerance; the rest is for periodic checks of limits. */
const CLOCKS_SHARE = 0.5;

/** `readings[i]` belongs to `jobs[i]`; the same clock wrote the times of `others`. */
export function explainedByClock<Job extends { notEarly: Sample | null }>(
  jobs: readonly Job[],
  readings: readonly JobReading[],
  { earlyMs }: Pick<LimitBounds, "earlyMs">,
  others: readonly JobReading[] = [],
): readonly Job[] {
  const suspects = jobs.flatMap(({ notEarly }, at) => {
    const reading = readings[at];
    return reading === undefined || notEarly === null ? [] : suspectOf(notEarly, reading, earlyMs);
  });
  const set = clockSet([...readings, ...others], suspects);
  return jobs.map((job) => {
    const { notEarly } = job;
    if (notEarly === null) return job;
    return { ...job, notEarly: { ...notEarly, below: [...(notEarly.below ?? []), ...set] } };
  });
}

/** How far the clock must have been set back to make the job seem early; none where it is not. */
function suspectOf(notEarly: Sample, reading: JobReading, earlyMs: number): readonly Suspect[] {
  const { says, beyond } = standing(notEarly);
  const highMs = -beyond - CLOCKS_SHARE * earlyMs;
  return says === "off" ? [setInRun(reading, { ...ANY_MS, highMs })] : [];
}
