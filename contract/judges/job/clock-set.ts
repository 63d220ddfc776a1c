/**
 * Whether times that disagree may be those of one clock that was set once, as NTP sets it. One
 * wrong time among right ones agrees neither with the offset before nor with the one after.
 */

import type { Explanation } from "../../judging/claim.ts";
import { anything } from "../../judging/claim.ts";
import type { Course, Told } from "../../timeline/clock-offset.ts";
import { isSetOnce } from "../../timeline/clock-offset.ts";
import type { Interval } from "../../timeline/interval.ts";
import { intersection } from "../../timeline/interval.ts";
import { stamped } from "../../timeline/observation.ts";
import type { Timestamp } from "../../timestamps.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../timestamps.ts";
import type { JobReading } from "./reading.ts";
import { firstEnd } from "./reading.ts";
import { seenSlackMs } from "./seen-times.ts";

/** Ours: what a clock is set by on a machine whose clock is looked after; more is a wrong time. */
const SET_BY: Interval = { lowMs: -2_000, highMs: 2_000 };
const MACHINES_DIFFER: Interval = { lowMs: -MACHINES_DIFFER_MS, highMs: MACHINES_DIFFER_MS };

const WHY = "a clock that was set once, as by NTP, explains it";

/** What a job tells the time of, in the order in which it happens. */
const MOMENTS = ["submission", "start", "end"] as const;
export type Moment = (typeof MOMENTS)[number];

/** A job whose times disagree, and what follows if the clock was set. */
export interface Suspect {
  reading: JobReading;
  /** Between which two moments of the job; null: at any time. */
  between: readonly [earlier: Moment, later: Moment] | null;
  /** By how much: after minus before. */
  byMs: Interval;
}

/** That the clock was set while the job ran, as far as its times tell when that was. */
export function setInRun(reading: JobReading, byMs: Interval): Suspect {
  const earlier = firstEnd(reading)?.job.startedAt == null ? "submission" : "start";
  return { reading, between: [earlier, "end"], byMs };
}

/** What explains all suspects, as a clock is not set once for each; none where that can't be. */
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
  // Once one duration is known to be of another clock, each run tells whether it was set meanwhile.
  const within = runs.filter((run) => across.length > 0 && intersection(run.byMs, byMs) === null);
  const courses = readings.map((reading) => {
    const isOwn = (each: Suspect) => each.reading === reading;
    return courseOf(reading, all.filter(isOwn), within.find(isOwn));
  });
  return isSetOnce(courses, byMs) ? [anything("clocks", WHY)] : [];
}

/** By how much it was set during a run, if nobody sets the clock that took the duration. */
export function runOf(reading: JobReading): Suspect | null {
  const job = firstEnd(reading)?.job;
  const start = job?.startedAt ?? job?.createdAt;
  // 0 may stand for one that a clock which was set back made less.
  if (!job?.finishedAt || !start || !job.durationMs) return null;
  const setByMs = job.finishedAt.ms - start.ms - job.durationMs;
  const roundingMs = Math.max(precisionMs(start), precisionMs(job.finishedAt));
  const slackMs = roundingMs + seenSlackMs(job.durationMs);
  // What lies between submission and start is not known.
  const lowMs = job.startedAt === null ? Number.NEGATIVE_INFINITY : setByMs - slackMs;
  return setInRun(reading, { lowMs, highMs: setByMs + slackMs });
}

/** Its times: set between the moments of each suspect, but not within such a run. */
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

/** Each time that a job told, once. A view may show it open after its end, never ended before. */
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
