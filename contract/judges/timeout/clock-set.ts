/**
 * Whether a clock that was set back once is why limited jobs seem to have been stopped early. By
 * what one is set forward, no job seems later than is tolerated.
 */

import type { Sample } from "../../judging/claim.ts";
import { standing } from "../../judging/standing.ts";
import { ANY_MS } from "../../timeline/interval.ts";
import type { Suspect } from "../job/clock-set.ts";
import { clockSet, setInRun } from "../job/clock-set.ts";
import type { JobReading } from "../job/reading.ts";
import type { LimitBounds } from "./bounds.ts";

/** Ours: of what is tolerated the rest is for services that look at their limits now and then. */
const CLOCKS_SHARE = 0.5;

/** `readings` are those of the jobs, in their order; `others` tell of the same clock. */
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

/** By how much the clock was set while the job ran, if that is why it is early. */
function suspectOf(notEarly: Sample, reading: JobReading, earlyMs: number): readonly Suspect[] {
  const { says, beyond } = standing(notEarly);
  const highMs = -beyond - CLOCKS_SHARE * earlyMs;
  return says === "off" ? [setInRun(reading, { ...ANY_MS, highMs })] : [];
}
