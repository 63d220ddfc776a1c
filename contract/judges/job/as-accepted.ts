/** What contradicts the accepted object: a job has the worker and the time told there. */

import { precisionMs } from "../../timestamps.ts";
import type { JobReading, Look } from "./reading.ts";
import type { Fault } from "./sample.ts";
import { faultOf } from "./sample.ts";
import { CLOCKS_APART_MS, hasSoundTimes } from "./timestamps.ts";

/** The first look of each job that tells of another worker or submission, once a job. */
export function notAsAccepted(
  readings: readonly JobReading[],
  offset: number | null,
): readonly Fault[] {
  return readings.flatMap((reading) => {
    for (const look of reading.looks) {
      const what = otherWorker(reading, look) ?? otherTime(reading, look, offset);
      if (what !== null) return [faultOf(look, what)];
    }
    return [];
  });
}

function otherWorker({ history, accepted }: JobReading, { job }: Look): string | null {
  // Another job under this identifier is job.same-id's fault.
  if (accepted === null || job === null || job.id !== history.issuedId) return null;
  const workerId = accepted.value?.workerId ?? history.workerId;
  if (job.workerId === null || job.workerId === workerId) return null;
  return `the job is of worker "${job.workerId}"; accepted for "${workerId}"`;
}

/** Left out where job.timestamps finds fault with the job's times. */
function otherTime(
  { history, accepted }: JobReading,
  look: Look,
  offset: number | null,
): string | null {
  const told = accepted?.value?.createdAt ?? null;
  const own = look.job?.createdAt ?? null;
  if (told === null || own === null || look.job?.id !== history.issuedId) return null;
  const roundingMs = Math.max(precisionMs(told), precisionMs(own));
  if (Math.abs(own.ms - told.ms) <= roundingMs + CLOCKS_APART_MS) return null;
  if (!hasSoundTimes(look, offset)) return null;
  return `the job was submitted at ${own.text}; accepted as of ${told.text}`;
}
