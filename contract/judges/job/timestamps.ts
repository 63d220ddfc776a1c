/** Judges that timestamps are UTC, in order and not in the future. Spec §2.5. */

import type { Job } from "../../decode/job-types.ts";
import type { Seen } from "../../judging/claim.ts";
import { chanceOfAtLeast } from "../../numbers/binomial.ts";
import { countText } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isTerminal } from "../../states.ts";
import type { Timestamp } from "../../time/timestamps.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../time/timestamps.ts";
import { ANY_MS } from "../../timeline/interval.ts";
import type { Finding } from "../../verdict.ts";
import { eachOnce } from "../../verdict.ts";
import type { Moment, Suspect } from "./clock-set.ts";
import { clockSet } from "./clock-set.ts";
import type { JobReading, Poll } from "./reading.ts";
import { firstEnd, offsetAtMostMs, pollsToEnd, ROUNDING_MS } from "./reading.ts";
import { aspectFaults, faultOf, judgeSampled } from "./sample.ts";
import { sharedTimes, strayTimes } from "./submission-times.ts";

export function judgeTimestamps(readings: readonly JobReading[]): Finding {
  const offset = offsetAtMostMs(readings);
  const timed = readings.filter(({ polls }) => polls.some((poll) => timesOf(poll).length >= 2));
  const crooked = readings.flatMap((reading) => firstFault(reading, offset));
  const future =
    offset === null ? "; times in the future not judged, as submission times disagree" : "";
  return judgeSampled({
    promise: "job.timestamps",
    faults: [
      ...aspectFaults(readings, "job.timestamps"),
      ...shortStamps(readings.flatMap(stampsOf)),
      ...sharedTimes(readings),
      ...strayTimes(readings),
      ...readings.flatMap(untrueEnd),
      ...explained(readings, crooked),
    ],
    samples: timed.length,
    kept: `${countText(timed.length, "job")} with times in UTC and in order${future}`,
    without: "no job had a start or end time",
    evidence: { clockOffsetAtMostMs: offset },
  });
}

/** Whether this answer's times can be built upon: none malformed, out of order, in the future. */
export function hasSoundTimes(poll: Poll, offset: number | null): boolean {
  if (poll.problems.some((problem) => problem.promise === "job.timestamps")) return false;
  return orderFault(poll) === null && futureFault(poll, offset) === null;
}

/** A fault, and what follows from it if the clock was set. */
interface Crooked {
  fault: Seen;
  suspect: Suspect;
}

function explained(readings: readonly JobReading[], crooked: readonly Crooked[]): readonly Seen[] {
  const suspects = crooked.map(({ suspect }) => suspect);
  const above = clockSet(readings, suspects);
  return crooked.map(({ fault }) => ({ ...fault, above }));
}

function firstFault(reading: JobReading, offset: number | null): readonly Crooked[] {
  for (const poll of reading.polls) {
    const order = orderFault(poll);
    if (order !== null) {
      const { what, ...rest } = order;
      return [{ fault: faultOf(poll, what), suspect: { reading, ...rest } }];
    }
    const what = futureFault(poll, offset);
    if (what === null) continue;
    return [{ fault: faultOf(poll, what), suspect: { reading, between: null, byMs: ANY_MS } }];
  }
  return [];
}

/** The end that a job told while it went on, and that it did not have then. Spec §2.5. */
function untrueEnd(reading: JobReading): readonly Seen[] {
  const end = firstEnd(reading);
  const ended = end?.job.finishedAt ?? null;
  if (end === null || ended === null) return [];
  for (const poll of pollsToEnd(reading)) {
    const { finishedAt: told, state, statusText } = poll.job;
    if (told === null || isTerminal(state) || orderFault(poll) !== null) continue;
    const roomMs = MACHINES_DIFFER_MS + Math.max(precisionMs(told), precisionMs(ended));
    if (Math.abs(told.ms - ended.ms) <= roomMs) continue;
    const what = `a ${statusText} job told ${told.text} as its end, which came at ${ended.text}`;
    return [{ what, exchanges: [poll.exchange, end.exchange] }];
  }
  return [];
}

/** In the order in which they must stand. */
function timesOf(poll: Poll): readonly (readonly [Moment, Timestamp])[] {
  if (poll.job === null) return [];
  const { createdAt, startedAt, finishedAt } = poll.job;
  return [
    ["submission", createdAt] as const,
    ["start", startedAt] as const,
    ["end", finishedAt] as const,
  ].flatMap(([name, time]) => (time === null ? [] : [[name, time] as const]));
}

const PATHS = { submission: "submitted_at", start: "started_at", end: "finished_at" } as const;

function stampsOf({ polls, history: { submission } }: JobReading): readonly Told[] {
  return polls.flatMap((poll) => {
    const { job, exchange } = poll;
    if (job?.variant !== "B") return [];
    const areWhole = agreesToTheMs(job);
    return timesOf(poll).map(([name, time]) => {
      const isWhole = name === "submission" ? isWithin(time, submission) : areWhole;
      // A run that is cut off may tell its limit as its duration.
      const isTold = name !== "submission" && job.state !== "timeout";
      const zeroed = isTold ? { isZeroed: areWhole === false && isZeros(time) } : {};
      return { time, path: `timestamps.${PATHS[name]}`, exchange, isWhole, ...zeroed };
    });
  });
}

/** By the duration, of which nothing is cut off; null where one of the three is not told. */
function agreesToTheMs({ startedAt, finishedAt, durationMs }: Job): boolean | null {
  if (startedAt === null || finishedAt === null || durationMs === null) return null;
  return Math.abs(finishedAt.ms - startedAt.ms - durationMs) <= ROUNDING_MS;
}

/** Its milliseconds are zeros, and other times of the job have theirs. */
function isZeros({ ms, fractionDigits, isCut = false }: Timestamp): boolean {
  return fractionDigits >= DIGITS_MIN && ms % 1_000 === 0 && !isCut;
}

type OrderFault = Omit<Suspect, "reading"> & { what: string };

function orderFault(poll: Poll): OrderFault | null {
  const times = timesOf(poll);
  for (const [index, [later, time]] of times.entries()) {
    // Whoever accepts a job, runs it and notes its end may be three machines.
    const found = times.slice(0, index).find(([, before]) => isAfter(before, time));
    if (found === undefined) continue;
    const [earlier, before] = found;
    const what = `the ${later} (${time.text}) is before the ${earlier} (${before.text})`;
    const highMs = time.ms + precisionMs(time) - before.ms;
    return { what, between: [earlier, later], byMs: { ...ANY_MS, highMs } };
  }
  return null;
}

/** Cutting off digits keeps the order of times that have equally many of them, and no other. */
function isAfter(a: Timestamp, b: Timestamp): boolean {
  const [ofA, ofB] = [precisionMs(a), precisionMs(b)];
  return a.ms - b.ms > MACHINES_DIFFER_MS + (ofA === ofB ? 0 : Math.max(ofA, ofB));
}

function futureFault(poll: Poll, offset: number | null): string | null {
  if (offset === null) return null;
  const nowMs = poll.exchange.receivedAtMs + offset;
  const late = timesOf(poll).find(([, time]) => time.ms > nowMs + MACHINES_DIFFER_MS);
  if (late === undefined) return null;
  const aheadMs = Math.round(late[1].ms - nowMs);
  return `the ${late[0]} (${late[1].text}) is ${aheadMs} ms in the future`;
}

/** Spec §2.5. */
const DIGITS_MIN = 3;
/**
 * Ours: of whole milliseconds 1 in 1,000 ends in three zeros, which Java drops; of microseconds 1
 * in 10,000 in four, of which Go leaves less than three digits. Ten times as many, as times may lie
 * at the full second more often than by chance.
 */
const DROPPED_SHARE = 1 / 100;
/** Ours: a load that offers 20 jobs a second may hit the full second with each twentieth. */
const WHOLE_SHARE = 1 / 10;
/** Ours: as few as two of two are left to chance, three of three are not. */
const CHANCE_MIN = 5e-5;

/** A time that an answer of variant B tells. */
export interface Told {
  time: Timestamp;
  /** Dotted path in the body. */
  path: string;
  exchange: Exchange;
  /** Whether it lies at the full second, by what is told beside it; null where nothing is. */
  isWhole: boolean | null;
  /** Whether zeros seem to stand for the milliseconds of a start or end. Left out: not known. */
  isZeroed?: boolean;
}

/** Those without milliseconds, each text once; none where dropped zeros explain them. */
export function shortStamps(told: readonly Told[]): readonly Seen[] {
  const short = told.filter(({ time }) => time.fractionDigits < DIGITS_MIN);
  const cut = short.filter(({ isWhole }) => isWhole === false);
  const zeroed = told.filter(({ isZeroed }) => isZeroed === true);
  const unproven = short.filter(({ time, isWhole }) => isWhole !== true || time.fractionDigits > 0);
  const counted = [
    { some: short, by: textOf, share: WHOLE_SHARE },
    { some: unproven, by: textOf, share: DROPPED_SHARE },
    { some: cut, by: jobOf, share: DROPPED_SHARE },
    { some: zeroed, by: jobOf, share: zeroedByChance(told, zeroed) },
  ];
  const beyond = counted.find(({ some, by, share }) => {
    const count = eachOnce(some, by).length;
    return count > 0 && chanceOfAtLeast(count, eachOnce(told, by).length, share) < CHANCE_MIN;
  });
  return seenOf(beyond?.some ?? []);
}

/**
 * Share of jobs with a time at the full second that another clock's duration contradicts: of the
 * others' durations as many do not agree to the millisecond.
 */
function zeroedByChance(told: readonly Told[], zeroed: readonly Told[]): number {
  const jobs = new Set(zeroed.map(jobOf));
  const others = told.filter((each) => {
    return each.isZeroed === false && each.isWhole !== null && !jobs.has(jobOf(each));
  });
  const off = eachOnce(
    others.filter(({ isWhole }) => isWhole === false),
    jobOf,
  ).length;
  const offShare = others.length === 0 ? 1 : off / eachOnce(others, jobOf).length;
  return Math.max(DROPPED_SHARE, WHOLE_SHARE * offShare);
}

/** Several jobs may tell the same second, and each poll of one tells it again. */
const textOf = ({ time }: Told) => time.text;
const jobOf = ({ exchange }: Told) => exchange.path;

function seenOf(told: readonly Told[]): readonly Seen[] {
  return eachOnce(told, textOf).map(({ time, path, exchange, isZeroed = false }) => ({
    what: isZeroed
      ? `${path} is "${time.text}", to the second: duration_ms tells another time`
      : `${path} is "${time.text}"; expected ISO 8601 with milliseconds`,
    exchanges: [exchange],
  }));
}

/** Shown where that request was under way then; nothing otherwise, as the clocks may differ. */
export function isWithin({ ms }: Timestamp, { sentAtMs, receivedAtMs }: Exchange): true | null {
  return ms >= sentAtMs && ms <= receivedAtMs ? true : null;
}
