/**
 * Whether times that disagree may be those of one clock that was set once, as NTP sets it: then
 * there is an offset before and another after, and each stated time agrees with one of the two.
 * One wrong time among right ones agrees with neither.
 */

import { leastOf, mostOf } from "../../extremes.ts";
import type { Range } from "../../judging/range.ts";
import { isTerminal } from "../../states.ts";
import type { Timestamp } from "../../timestamps.ts";
import { precisionMs } from "../../timestamps.ts";
import type { JobReading } from "./reading.ts";
import { firstEnd, pollsToEnd, VIEW_LAG_MS } from "./reading.ts";

/** Ours: what a clock is set by on a machine whose clock is looked after; more is a wrong time. */
const SET_BY_MS_MAX = 2_000;
/** Ours: two clocks whose rates differ by 50 ppm, as those of quartz do, drift apart in 400 s. */
export const DRIFT_MS = 20;

/** What a job tells the time of, in the order in which it happens. */
const MOMENTS = ["submission", "start", "end"] as const;
export type Moment = (typeof MOMENTS)[number];

/** A job whose times disagree, and what follows if the clock was set. */
export interface Suspect {
  reading: JobReading;
  /** Between which two moments of the job; null: at any time. */
  between: readonly [earlier: Moment, later: Moment] | null;
  /** By how much (ms): after minus before. */
  by: Range;
}

/** When a time was written, on the observer's clock, and the offsets with which it agrees. */
interface Stated {
  moment: Moment;
  reading: JobReading;
  at: Range;
  offset: Range;
}

/** Offsets that agree with all times of before and after. */
interface Offsets {
  before: Range;
  after: Range;
}

export const ANY: Range = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** Why it may be so, as a clause; null: no clock that was set once explains all of it. */
export function whyClockSet(
  readings: readonly JobReading[],
  suspects: readonly Suspect[],
): string | null {
  const by = suspects.reduce((both, each) => intersection(both, each.by), {
    low: -SET_BY_MS_MAX,
    high: SET_BY_MS_MAX,
  });
  const suspected = new Set(suspects.map(({ reading }) => reading));
  const isLagging = readings.some((each) => !suspected.has(each) && showsLag(each));
  const lagMs = isLagging ? VIEW_LAG_MS : 0;
  const stated = readings.flatMap((reading) => statedTimes(reading, lagMs));
  const sides = sidesOf(stated, suspects);
  const at = timesLeft(stated, sides);
  if (isEmpty(by) || isEmpty(at)) return null;
  const explained = momentsIn(stated, at).some((ms) => offsetsAt(ms, stated, sides, by) !== null);
  return explained ? "a clock that was set once, as by NTP, explains it" : null;
}

/** Whether it was shown open for longer than it says that it was, as a view that lags does. */
function showsLag(reading: JobReading): boolean {
  const { createdAt = null, finishedAt = null } = firstEnd(reading)?.job ?? {};
  const open = pollsToEnd(reading).at(-2);
  if (createdAt === null || finishedAt === null || open === undefined) return false;
  const saidMs = finishedAt.ms + precisionMs(finishedAt) - createdAt.ms;
  const seenMs = open.exchange.sentAtMs - reading.history.submission.receivedAtMs;
  return saidMs + DRIFT_MS < seenMs;
}

/** Each time that a job told, once; by `lagMs` its views may have shown it open after its end. */
function statedTimes(reading: JobReading, lagMs: number): readonly Stated[] {
  const { submission } = reading.history;
  const told = new Set<string>();
  const stated: Stated[] = [];
  const take = (moment: Moment, time: Timestamp | null | undefined, at: Range) => {
    if (time == null || told.has(`${moment} ${time.text}`)) return;
    told.add(`${moment} ${time.text}`);
    const offset = {
      low: time.ms - at.high - DRIFT_MS,
      high: time.ms + precisionMs(time) - at.low + DRIFT_MS,
    };
    stated.push({ moment, reading, at, offset });
  };
  const submitted = { low: submission.sentAtMs, high: submission.receivedAtMs };
  take("submission", reading.accepted?.value?.createdAt, submitted);
  let openAtMs = submission.sentAtMs;
  for (const { job, exchange } of reading.polls) {
    if (job === null) continue;
    const seenAtMs = exchange.receivedAtMs;
    take("submission", job.createdAt, submitted);
    take("start", job.startedAt, { low: submission.sentAtMs, high: seenAtMs });
    take("end", job.finishedAt, { low: openAtMs, high: seenAtMs });
    const isOpen = job.state !== null && !isTerminal(job.state);
    if (isOpen) openAtMs = Math.max(openAtMs, exchange.sentAtMs - lagMs);
  }
  return stated;
}

/** On which side of the setting those times lie that are between two moments of a suspect. */
function sidesOf(
  stated: readonly Stated[],
  suspects: readonly Suspect[],
): ReadonlyMap<Stated, keyof Offsets> {
  const sides = new Map<Stated, keyof Offsets>();
  const rank = (moment: Moment) => MOMENTS.indexOf(moment);
  for (const { reading, between } of suspects) {
    if (between === null) continue;
    const [earlier, later] = between;
    for (const each of stated.filter((one) => one.reading === reading)) {
      if (rank(each.moment) <= rank(earlier)) sides.set(each, "before");
      if (rank(each.moment) >= rank(later)) sides.set(each, "after");
    }
  }
  return sides;
}

/** When the clock can have been set, by the times whose side is known. */
function timesLeft(stated: readonly Stated[], sides: ReadonlyMap<Stated, keyof Offsets>): Range {
  const all = {
    low: leastOf(stated.map(({ at }) => at.low)),
    high: mostOf(stated.map(({ at }) => at.high)),
  };
  return [...sides].reduce(
    (left, [{ at }, side]) =>
      intersection(left, side === "before" ? { ...ANY, low: at.low } : { ...ANY, high: at.high }),
    all,
  );
}

/** One between each two times at which something else is known. */
function momentsIn(stated: readonly Stated[], { low, high }: Range): readonly number[] {
  const bounds = stated.flatMap(({ at }) => [at.low, at.high]);
  const cuts = [...new Set([low, high, ...bounds])]
    .filter((ms) => ms >= low && ms <= high)
    .sort((a, b) => a - b);
  return cuts.map((ms, index) => (ms + (cuts[index + 1] ?? ms)) / 2);
}

/** The offsets that agree with all times, if the clock was set then; null: none do. */
function offsetsAt(
  setAtMs: number,
  stated: readonly Stated[],
  sides: ReadonlyMap<Stated, keyof Offsets>,
  by: Range,
): Offsets | null {
  const offsets: Offsets = { before: ANY, after: ANY };
  const either: Stated[] = [];
  for (const each of stated) {
    const side = sides.get(each) ?? sideOf(each, setAtMs);
    if (side === null) either.push(each);
    else offsets[side] = intersection(offsets[side], each.offset);
  }
  const { before, after } = offsets;
  const both: Offsets = {
    before: intersection(before, { low: after.low - by.high, high: after.high - by.low }),
    after: intersection(after, { low: before.low + by.low, high: before.high + by.high }),
  };
  if (isEmpty(both.before) || isEmpty(both.after)) return null;
  const isAgreed = ({ offset }: Stated) =>
    !isEmpty(intersection(offset, both.before)) || !isEmpty(intersection(offset, both.after));
  return either.every(isAgreed) ? both : null;
}

function sideOf({ at }: Stated, setAtMs: number): keyof Offsets | null {
  if (at.high <= setAtMs) return "before";
  return at.low >= setAtMs ? "after" : null;
}

function intersection(a: Range, b: Range): Range {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}

function isEmpty({ low, high }: Range): boolean {
  return low > high;
}
