/**
 * Decides whether times that contradict each other can come from one clock that was set once, as
 * NTP does. All times must then fit one offset before it and another one after it. A single wrong
 * time among correct ones fits neither.
 */

import type { Explanation } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import type { Timestamp } from "../../time/timestamps.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../time/timestamps.ts";
import type { Course, Told } from "../../timeline/clock-offset.ts";
import { setOnce } from "../../timeline/clock-offset.ts";
import type { Interval } from "../../timeline/interval.ts";
import { intersection } from "../../timeline/interval.ts";
import { stamped } from "../../timeline/observation.ts";
import type { JobReading } from "./reading.ts";
import { firstEnd, seenSlackMs } from "./reading.ts";

/** Ours: NTP corrects a maintained clock by no more than this; a larger step is a wrong time. */
const SET_BY: Interval = { lowMs: -2_000, highMs: 2_000 };
const MACHINES_DIFFER: Interval = { lowMs: -MACHINES_DIFFER_MS, highMs: MACHINES_DIFFER_MS };

const WHY = "a clock that was set once, as by NTP, explains it";

/** The moments whose times a job states, in their order. */
const MOMENTS = ["submission", "start", "end"] as const;
export type Moment = (typeof MOMENTS)[number];

/** A job whose times contradict each other, and when and how far a clock was set if that is why. */
export interface Suspect {
  reading: JobReading;
  /** The two moments of the job between which it was set; null: it may have been at any time. */
  between: readonly [earlier: Moment, later: Moment] | null;
  /** How far it was set: positive is forward. */
  byMs: Interval;
}

/** A clock that was set while the job ran, or since its submission where it states no start. */
export function setInRun(reading: JobReading, byMs: Interval): Suspect {
  const earlier = firstEnd(reading)?.job.startedAt == null ? "submission" : "start";
  return { reading, between: [earlier, "end"], byMs };
}

/** The explanation that covers all suspects: one step of one clock. Empty where none can. */
export function clockSet(
  readings: readonly JobReading[],
  suspects: readonly Suspect[],
): readonly Explanation[] {
  if (suspects.length === 0) return [];
  const runs = readings.flatMap((each) => runOf(each) ?? []);
  const across = runs.filter(({ byMs }) => intersection(byMs, MACHINES_DIFFER) === null);
  const all = [...suspects, ...across];
  const byMs = all.reduce<Interval | null>(
    (left, each) => left && intersection(left, each.byMs),
    SET_BY,
  );
  if (byMs === null) return [];
  // One duration that differs from its times was measured by another clock. Then the durations also
  // tell into which runs the step did not fall.
  const within = runs.filter((run) => across.length > 0 && intersection(run.byMs, byMs) === null);
  const courses = readings.map((reading) => {
    const isOwn = (each: Suspect) => each.reading === reading;
    return courseOf(reading, all.filter(isOwn), within.find(isOwn));
  });
  const set = setOnce(courses, byMs);
  return set === null ? [] : [{ ...anything("set clock", WHY), once: set }];
}

/** How far the clock was set during a run, if one that is never set measured the duration. */
export function runOf(reading: JobReading): Suspect | null {
  const job = firstEnd(reading)?.job;
  const start = job?.startedAt ?? job?.createdAt;
  // 0 may replace a duration that became negative because the clock was set back.
  if (!job?.finishedAt || !start || !job.durationMs) return null;
  const setByMs = job.finishedAt.ms - start.ms - job.durationMs;
  const roundingMs = Math.max(precisionMs(start), precisionMs(job.finishedAt));
  const slackMs = roundingMs + seenSlackMs(job.durationMs);
  // Without a start, the time in the queue is unknown.
  const lowMs = job.startedAt === null ? Number.NEGATIVE_INFINITY : setByMs - slackMs;
  return setInRun(reading, { lowMs, highMs: setByMs + slackMs });
}

/** The job's times, and how many of its moments may come before the step. */
function courseOf(reading: JobReading, suspects: readonly Suspect[], within?: Suspect): Course {
  const isBetween = (count: number, { between }: Suspect) =>
    between === null ||
    (count > MOMENTS.indexOf(between[0]) && count <= MOMENTS.indexOf(between[1]));
  const before = [0, ...MOMENTS.map((_, index) => index + 1)].filter(
    (count) =>
      suspects.every((each) => isBetween(count, each)) && !(within && isBetween(count, within)),
  );
  return { moments: toldBy(reading), before };
}

/**
 * Each time that a job stated, once. A view may show a job as open after its end, but never as
 * ended before it: a time was written before the response that first showed it.
 */
function toldBy({ accepted, history, polls }: JobReading): readonly (readonly Told[])[] {
  const { sentAtMs, receivedAtMs } = history.submission;
  const told = MOMENTS.map(() => new Map<string, Told>());
  const take = (time: Timestamp | null | undefined, moment: Moment, highMs: number) => {
    const known = told[MOMENTS.indexOf(moment)];
    const stated = stamped(time ?? null);
    if (!time || stated === null || known?.has(time.text)) return;
    known?.set(time.text, { stated, at: { lowMs: sentAtMs, highMs } });
  };
  take(accepted?.value?.createdAt, "submission", receivedAtMs);
  for (const { job, exchange } of polls) {
    take(job?.createdAt, "submission", receivedAtMs);
    take(job?.startedAt, "start", exchange.receivedAtMs);
    take(job?.finishedAt, "end", exchange.receivedAtMs);
  }
  return told.map((each) => [...each.values()]);
}
