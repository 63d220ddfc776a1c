/**
 * How far the service's clock is ahead of the observer's: the intersection of what each submission
 * allows, as its timestamp was written between the sending of the POST and the receipt of the
 * answer. Either clock may be set; from then on there is another offset.
 */

import { leastOf, mostOf } from "../numbers/extremes.ts";
import type { Interval } from "./interval.ts";
import { ANY_MS, difference, intersection, middleMs, widthMs } from "./interval.ts";

/** Service minus observer, at that time of the observer's. */
export interface Offset extends Interval {
  atMs: number;
}

/** What was learnt of the offset so far; newest last. */
export interface OffsetKnowledge {
  readonly windows: readonly Offset[];
  /** Times that the newest submissions contradicted the older ones: a clock was set. */
  readonly steps: number;
}

export const NOTHING_KNOWN: OffsetKnowledge = { windows: [], steps: 0 };

/** Ours: some ten minutes of canaries; what is older says little of a drifting clock. */
const WINDOWS_MAX = 64;
/** Ours: quartz clocks drift apart by less, so that a window widens by this share of its age. */
const DRIFT_SHARE = 200e-6;
/** Ours: a clock that is set jumps by more, or what is wrong by it is within an answer's time. */
const STEP_MS = 1_000;
/** Ours: as closely as times are told, and answers come. */
const SET_AT_MS = 1;
/** Ours: a run of half a minute in half seconds; finer parts tell the same offsets. */
const PARTS_MAX = 64;
/** Ours: ten times what clocks took that were set; times that barely disagree take any number. */
const STEPS_MAX = 5_000;
/** Ours: one contradiction may be one wrong timestamp, this many are a clock that was set. */
const CONTRADICTIONS_MAX = 3;

/** Adds a submission: `createdMs` on the service's clock, the window on the probe's. */
export function learnOffset(
  known: OffsetKnowledge,
  createdMs: Interval,
  { sentAtMs, receivedAtMs }: { sentAtMs: number; receivedAtMs: number },
): OffsetKnowledge {
  const driftMs = (receivedAtMs - sentAtMs) * DRIFT_SHARE;
  const window = {
    lowMs: createdMs.lowMs - receivedAtMs - driftMs,
    highMs: createdMs.highMs - sentAtMs + driftMs,
    atMs: receivedAtMs,
  };
  const windows = [...known.windows, window].slice(-WINDOWS_MAX);
  const newest = windows.slice(-CONTRADICTIONS_MAX);
  const agreed = offsetAt({ ...known, windows }, receivedAtMs);
  const contradicts = (each: Offset) => agreed === null || intersection(each, agreed) === null;
  const stepped = newest.length === CONTRADICTIONS_MAX && newest.every(contradicts);
  return stepped && windows.length > CONTRADICTIONS_MAX
    ? { windows: newest, steps: known.steps + 1 }
    : { ...known, windows };
}

/**
 * The offset at that time: the stretch on which most submissions agree. null before the first one,
 * when no more than half of them agree on anything. With `sinceMs`, the submission of the job whose
 * times are to be placed, also when a later one does not agree, or none confirms it closely enough:
 * then one of the clocks may have been set since.
 */
export function offsetAt(
  { windows }: OffsetKnowledge,
  nowMs: number,
  sinceMs?: number,
): Offset | null {
  const widened = windows.map((each) => ({ ...widenedTo(each, nowMs), atMs: each.atMs }));
  const stretch = agreedBy(widened);
  if (stretch === null) return null;
  const since = widened.filter((each) => sinceMs !== undefined && each.atMs >= sinceMs);
  const isDoubted = since.some((each) => intersection(each, stretch) === null);
  const narrowest = Math.min(...since.map(widthMs));
  const isConfirmed = sinceMs === undefined || narrowest + widthMs(stretch) <= STEP_MS;
  return isDoubted || !isConfirmed ? null : { ...stretch, atMs: nowMs };
}

/** How long it was between two times of the service's, on the probe's clock. */
export function elapsed(later: Interval, earlier: Interval): Interval {
  const { lowMs, highMs } = difference(later, earlier);
  return { lowMs: lowMs * (1 - DRIFT_SHARE), highMs: highMs * (1 + DRIFT_SHARE) };
}

/** A time of the service's on the probe's clock. */
export function placed(stated: Interval, offset: Offset): Interval {
  const { lowMs, highMs } = widenedTo(offset, stated.lowMs - offset.lowMs);
  return { lowMs: stated.lowMs - highMs, highMs: stated.highMs - lowMs };
}

/** What is known of the offset at one time, said of another. */
function widenedTo({ lowMs, highMs, atMs }: Offset, nowMs: number): Interval {
  const driftMs = Math.abs(nowMs - atMs) * DRIFT_SHARE;
  return { lowMs: lowMs - driftMs, highMs: highMs + driftMs };
}

/** The stretch on which most windows agree, the earliest of several; null: no more than half do. */
export function agreedBy(windows: readonly Interval[]): Interval | null {
  const lows = windows.map(({ lowMs }) => lowMs).sort((a, b) => a - b);
  const highs = windows.map(({ highMs }) => highMs).sort((a, b) => a - b);
  let closed = 0;
  let best: { agreeing: number; stretch: Interval | null } = { agreeing: 0, stretch: null };
  for (const [opened, lowMs] of lows.entries()) {
    while ((highs[closed] ?? Number.POSITIVE_INFINITY) < lowMs) closed += 1;
    const agreeing = opened + 1 - closed;
    const stretch = { lowMs, highMs: highs[closed] ?? lowMs };
    if (agreeing > best.agreeing) best = { agreeing, stretch };
  }
  return best.agreeing * 2 > windows.length ? best.stretch : null;
}

/** A time that the service told, on its clock, and when it was that, on the observer's. */
export interface Told {
  stated: Interval;
  at: Interval;
}

/** What was told of one thing after another: what came first, what came then, and so on. */
export interface Course {
  moments: readonly (readonly Told[])[];
  /** Of how many of them it may be that they came before the clock was set. */
  before: readonly number[];
}

/** An offset before, and another after. */
interface Offsets {
  before: Interval;
  after: Interval;
}

/** What is known of a clock that was set once, while that was told which says so. */
export interface ClockSet {
  before: Offset;
  after: Offset;
  /** With what each first moment agrees, as if it was never set; null: they do not. */
  steady: Offset | null;
}

/**
 * What follows if a clock that was set once told all of this: there is one offset before and
 * another after, greater by `byMs`, and each time agrees with that of its side. null: it can't be.
 */
export function setOnce(courses: readonly Course[], byMs: Interval): ClockSet | null {
  const spans = courses.flatMap(({ moments }) => moments.flat().map(({ at }) => at));
  if (spans.length === 0) return null;
  const lowMs = leastOf(spans.map((at) => at.lowMs));
  const highMs = mostOf(spans.map((at) => at.highMs));
  const driftMs = (highMs - lowMs) * DRIFT_SHARE;
  const found = offsetsFound({ lowMs, highMs }, (setAt) =>
    agreedIfSet(setAt, courses, byMs, driftMs),
  );
  if (found === null) return null;
  const firsts = courses.flatMap(({ moments }) => moments[0] ?? []);
  const steady = firsts.length === 0 ? null : offsetOf(firsts, ANY_MS, driftMs);
  return {
    before: { ...found.before, atMs: lowMs },
    after: { ...found.after, atMs: highMs },
    steady: steady && { ...steady, atMs: highMs },
  };
}

/**
 * Whether a clock was set in the first of two runs, and in the second again: each began with what
 * the other left behind. That what was first in both agrees with one offset tells of no setting.
 */
export function areSetApart(first: ClockSet, second: ClockSet): boolean {
  const [steady, later] = [first.steady, second.steady];
  if (steady !== null && later !== null && meetsLater(steady, later)) return false;
  return meetsLater(first.after, second.before);
}

function meetsLater(earlier: Offset, later: Offset): boolean {
  return intersection(widenedTo(earlier, later.atMs), later) !== null;
}

/**
 * Halves the time in which it may have been set until that is known, and tells the offsets of all
 * parts in which it may have been. `agreed` says with which offsets all agree if it was set at any
 * moment within. What takes more steps than are taken may be.
 */
function offsetsFound(span: Interval, agreed: (setAt: Interval) => Offsets | null): Offsets | null {
  const partMs = Math.max(SET_AT_MS, widthMs(span) / PARTS_MAX);
  let steps = 0;
  const isSetIn = (setAt: Interval): boolean => {
    if (agreed(setAt) === null) return false;
    steps += 1;
    return steps > STEPS_MAX || widthMs(setAt) <= SET_AT_MS || halvesOf(setAt).some(isSetIn);
  };
  const offsetsIn = (setAt: Interval): readonly Offsets[] => {
    const own = agreed(setAt);
    if (own === null) return [];
    if (widthMs(setAt) > partMs) return halvesOf(setAt).flatMap(offsetsIn);
    return isSetIn(setAt) ? [own] : [];
  };
  const found = offsetsIn(span);
  return found.length === 0 ? null : hullOf(found);
}

function halvesOf(span: Interval): readonly Interval[] {
  const halfMs = middleMs(span);
  return [
    { ...span, highMs: halfMs },
    { ...span, lowMs: halfMs },
  ];
}

/** The offsets with which all agree if it was set at any moment within; null: it was not. */
function agreedIfSet(
  setAt: Interval,
  courses: readonly Course[],
  byMs: Interval,
  driftMs: number,
): Offsets | null {
  const ways: (readonly Offsets[])[] = [];
  let agreed: Offsets | null = { before: ANY_MS, after: ANY_MS };
  for (const course of courses) {
    const own = waysOf(course, setAt, driftMs).flatMap((each) => apart(each, byMs) ?? []);
    agreed = own.length === 0 ? null : meeting(agreed, hullOf(own));
    if (agreed === null) return null;
    ways.push(own);
  }
  const all = apart(agreed, byMs);
  if (all === null || !ways.every((own) => own.some((each) => meeting(each, all)))) return null;
  return all;
}

/** The offsets with which a course agrees: one pair for each number of moments before. */
function waysOf(course: Course, { lowMs, highMs }: Interval, driftMs: number): readonly Offsets[] {
  return course.before.flatMap((count) => {
    const [first, second] = [course.moments.slice(0, count), course.moments.slice(count)];
    const before = offsetOf(first.flat(), { ...ANY_MS, highMs }, driftMs);
    const after = offsetOf(second.flat(), { ...ANY_MS, lowMs }, driftMs);
    return before === null || after === null ? [] : [{ before, after }];
  });
}

/** With which offsets all of them agree, if each was written then. */
function offsetOf(told: readonly Told[], then: Interval, driftMs: number): Interval | null {
  return told.reduce<Interval | null>((agreed, { stated, at }) => {
    const lowMs = stated.lowMs - Math.min(at.highMs, then.highMs) - driftMs;
    const highMs = stated.highMs - Math.max(at.lowMs, then.lowMs) + driftMs;
    const isThen = at.lowMs < then.highMs && at.highMs > then.lowMs;
    return agreed !== null && isThen ? intersection(agreed, { lowMs, highMs }) : null;
  }, ANY_MS);
}

/** What is left of both where they are so far apart. */
function apart({ before, after }: Offsets, byMs: Interval): Offsets | null {
  const lowMs = before.lowMs + byMs.lowMs;
  const second = intersection(after, { lowMs, highMs: before.highMs + byMs.highMs });
  if (second === null) return null;
  const first = { lowMs: second.lowMs - byMs.highMs, highMs: second.highMs - byMs.lowMs };
  return meeting({ before: first, after: second }, { before, after });
}

function meeting(a: Offsets, b: Offsets): Offsets | null {
  const before = intersection(a.before, b.before);
  const after = intersection(a.after, b.after);
  return before === null || after === null ? null : { before, after };
}

/** From the least to the greatest of any. */
function hullOf(all: readonly Offsets[]): Offsets {
  return all.reduce((hull, each) => ({
    before: unitedWith(hull.before, each.before),
    after: unitedWith(hull.after, each.after),
  }));
}

function unitedWith(a: Interval, b: Interval): Interval {
  return { lowMs: Math.min(a.lowMs, b.lowMs), highMs: Math.max(a.highMs, b.highMs) };
}
