/** Judges that timestamps are UTC, in order and not in the future. Spec §2.5. */

import type { Seen } from "../../judging/claim.ts";
import type { Timestamp } from "../../timestamps.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { offsetAtMostMs } from "./clock-offset.ts";
import type { JobReading, Look } from "./reading.ts";
import { aspectFaults, count, faultOf, judgeSampled } from "./sample.ts";

export function judgeTimestamps(readings: readonly JobReading[]): Finding {
  const offset = offsetAtMostMs(readings);
  const timed = readings.filter(({ looks }) => looks.some(hasTwoTimes));
  const crooked = readings.flatMap(({ looks }) => firstFault(looks, offset));
  const future = offset === null ? "; the future not judged: submission times disagree" : "";
  return judgeSampled({
    promise: "job.timestamps",
    faults: [...aspectFaults(readings, "job.timestamps"), ...crooked],
    samples: timed.length,
    kept: `${count(timed.length, "job")} with times in UTC and in order${future}`,
    without: "no job was seen with a start or an end",
    evidence: { clockOffsetAtMostMs: offset },
  });
}

/** Whether this answer's times can be built upon: none malformed, out of order, in the future. */
export function hasSoundTimes(look: Look, offset: number | null): boolean {
  if (look.problems.some((problem) => problem.promise === "job.timestamps")) return false;
  return orderFault(look) === null && futureFault(look, offset) === null;
}

function firstFault(looks: readonly Look[], offset: number | null): readonly Seen[] {
  for (const look of looks) {
    const what = orderFault(look) ?? futureFault(look, offset);
    if (what !== null) return [faultOf(look, what)];
  }
  return [];
}

function hasTwoTimes(look: Look): boolean {
  return timesOf(look).length >= 2;
}

/** In the order in which they must stand. */
function timesOf(look: Look): readonly (readonly [string, Timestamp])[] {
  if (look.job === null) return [];
  const { createdAt, startedAt, finishedAt } = look.job;
  return [
    ["submission", createdAt] as const,
    ["start", startedAt] as const,
    ["end", finishedAt] as const,
  ].flatMap(([name, time]) => (time === null ? [] : [[name, time] as const]));
}

function orderFault(look: Look): string | null {
  const times = timesOf(look);
  for (const [index, [name, time]] of times.entries()) {
    const earlier = times.slice(0, index).find(([first, before]) => {
      // Whoever accepts a job has another clock than who runs it.
      return isAfter(before, time, first === "submission" ? MACHINES_DIFFER_MS : 0);
    });
    if (earlier !== undefined) {
      return `the ${name} (${time.text}) lies before the ${earlier[0]} (${earlier[1].text})`;
    }
  }
  return null;
}

/** Cutting off digits keeps the order of times that have equally many of them, and no other. */
function isAfter(a: Timestamp, b: Timestamp, roomMs: number): boolean {
  const alike = a.fractionDigits === b.fractionDigits;
  return a.ms - b.ms > roomMs + (alike ? 0 : Math.max(precisionMs(a), precisionMs(b)));
}

function futureFault(look: Look, offset: number | null): string | null {
  if (offset === null) return null;
  const nowMs = look.exchange.receivedAtMs + offset;
  const late = timesOf(look).find(([, time]) => time.ms > nowMs + MACHINES_DIFFER_MS);
  if (late === undefined) return null;
  const aheadMs = Math.round(late[1].ms - nowMs);
  return `the ${late[0]} (${late[1].text}) lies ${aheadMs} ms in the future`;
}
