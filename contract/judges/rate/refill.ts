/**
 * How much a limiter gives back at once. Many refill a bucket in steps, each 100 ms or each second
 * (Spec §8 names no algorithm): under overload each step is admitted in one run, and what comes
 * after it is refused until the next.
 */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { gapsOf, medianOf, percentileOf } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { inTurn } from "./ascending.ts";
import type { Burst } from "./trial.ts";
import { answeredInMs, outcomeOf, shotsWith, spanSeconds } from "./trial.ts";

/** A bucket's refill, where it comes in steps. */
export interface Refill {
  /** Requests that come back at once. */
  size: number;
  everyMs: number;
}

/** A random part of each rest, so that bursts meet a limiter at any phase. */
export const PHASE_WINDOWS = 0.2;

/** Ours: requests that overtake each other make runs of 1.7 on average where refill is even. */
const SIZE_MIN = 2;
/** Ours: what comes back in larger parts of a burst is a window, which begins anew. */
const SIZE_SHARE_MAX = 0.75;
/** Ours: a run at either end may be cut off; with fewer between them nothing repeats. */
const RUNS_MIN = 3;
/** Ours: requests that come unevenly make runs of any length; most of those of steps are alike. */
const ALIKE_SHARE_MIN = 0.75;
const DIFFERENCE_SHARE = 0.2;

/** Whether an overload shows that there are no steps: not one that starves the key. */
export function isRefilledEvenly(overload: readonly Exchange[]): boolean {
  const runs = runsIn(overload);
  return runs.length >= RUNS_MIN + 2 && medianOf(runs.map(({ length }) => length)) < SIZE_MIN;
}

/** Null where an overload shows no steps; its requests without the lag that all had alike. */
export function refillIn(overload: readonly Exchange[], limit: RateLimit): Refill | null {
  const runs = runsIn(overload);
  const lengths = runs.map(({ length }) => length).slice(1, -1);
  if (lengths.length < RUNS_MIN) return null;
  // A pause of the generator makes one of them far longer, which would move their mean.
  const size = medianOf(lengths);
  if (size < SIZE_MIN || size > limit.burst * SIZE_SHARE_MAX) return null;
  // A log that slides gives back what it took, as it came: in parts, at no even times.
  const startsMs = runs.slice(1).map((run) => leastOf(run.map(({ sentAtMs }) => sentAtMs)));
  const gapsMs = gapsOf(startsMs);
  const isSteady = areAlike(lengths, 1) && areAlike(gapsMs, 1_000 / limit.sustained);
  if (!isSteady) return null;
  // Where refused requests count, they use up a part of each step before it is admitted.
  const whole = Math.max(size, (limit.sustained * medianOf(gapsMs)) / 1_000);
  return { size: whole, everyMs: (whole / limit.sustained) * 1_000 };
}

/** Whether most differ from the usual one by as little: one request, or a share of it. */
function areAlike(figures: readonly number[], leastDifference: number): boolean {
  const usual = medianOf(figures);
  const most = Math.max(leastDifference, usual * DIFFERENCE_SHARE);
  const alike = figures.filter((figure) => Math.abs(figure - usual) <= most).length;
  return alike >= figures.length * ALIKE_SHARE_MIN;
}

/** Ours: what a few requests took longer than that leaves stray ones behind a run. */
const LATENESS_PERCENTILE = 0.95;
/** Ours: shorter ones are those that came late, of the run before. */
const STRAY_SHARE = 0.5;

/**
 * Requests admitted one after the other, with a pause of refused ones before each run that is
 * longer than requests overtake each other.
 */
export function runsIn(overload: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const answered = inTurn(overload.filter((shot) => outcomeOf(shot) !== "failed"));
  // A refusal may be held back on purpose: what it took tells nothing of the way.
  const admitted = shotsWith(answered, "admitted");
  const spreadMs = usuallyTook(admitted) - leastOf(admitted.map(answeredInMs));
  const heldMs = usuallyTook(shotsWith(answered, "refused"));
  const runs: Exchange[][] = [];
  let [refusedByMs, lastMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const shot of answered) {
    if (outcomeOf(shot) === "refused") {
      refusedByMs = Math.min(refusedByMs, shot.receivedAtMs - heldMs);
      continue;
    }
    // One that was long on its way may have been decided after this one.
    const isAfterRefusal = refusedByMs <= shot.receivedAtMs;
    if (isAfterRefusal && shot.sentAtMs - lastMs > spreadMs) runs.push([]);
    runs.at(-1)?.push(shot);
    [refusedByMs, lastMs] = [Number.POSITIVE_INFINITY, shot.sentAtMs];
  }
  return withoutStrays(runs);
}

function withoutStrays(runs: readonly Exchange[][]): readonly (readonly Exchange[])[] {
  // The length of the run in which the usual request was admitted.
  const lengths = runs.flatMap(({ length }) => Array.from({ length }, () => length));
  const usual = medianOf(lengths);
  const whole: Exchange[][] = [];
  for (const run of runs) {
    if (run.length < usual * STRAY_SHARE) whole.at(-1)?.push(...run);
    else whole.push([...run]);
  }
  return whole;
}

/** What nearly all of them took at the most. */
function usuallyTook(shots: readonly Exchange[]): number {
  return percentileOf(shots.map(answeredInMs), LATENESS_PERCENTILE);
}

/** What may have come back beyond an even refill, in any span of time. */
export function moreAtOnce(refill: Refill | null): number {
  return refill === null ? 0 : refill.size - 1;
}

/** Ours: with it, one key in ten thousand of a lawful service would be called broken. */
const CHANCE_MAX = 1e-4;

/**
 * Whether chance may have put a moment that comes once in so long into each of some spans; `of`:
 * how many there were, in any of which it may have come.
 */
export function mayBeChance(
  spansMs: readonly number[],
  everyMs: number,
  of = spansMs.length,
): boolean {
  const each = spansMs.map((ms, at) => {
    // Factors of the number of ways in which as many of them can be chosen.
    const ways = (of - at) / (at + 1);
    return ways * Math.min(1, ms / everyMs);
  });
  return each.reduce((chance, next) => chance * next, 1) > CHANCE_MAX;
}

/** The same of several bursts, unless a step is as good as sure to have missed one of them. */
export function moreInAll(
  bursts: readonly Burst[],
  refill: Refill | null,
  limit: RateLimit,
): number {
  const spansMs = bursts.map(({ shots }) => spanSeconds(shots) * 1_000);
  return moreInSpans(spansMs, refill, limit);
}

/** The same of spans of time, each a rest of its own after the one before. */
export function moreInSpans(
  spansMs: readonly number[],
  refill: Refill | null,
  limit: RateLimit,
): number {
  if (refill === null) return 0;
  const phasesMs = Math.min(refill.everyMs, PHASE_WINDOWS * windowMs(limit));
  return mayBeChance(spansMs, phasesMs) ? moreAtOnce(refill) : 0;
}

/**
 * Of the steps that would explain bursts of more than the limit's, those that come most often: one
 * of them is as large as the largest excess. Null where no burst has any, or more than a step has.
 */
export function leastStepsIn(bursts: readonly Burst[], limit: RateLimit): Refill | null {
  const counts = bursts.map(({ shots }) => shotsWith(shots, "admitted").length);
  const size = mostOf(counts) - limit.burst;
  if (size <= 0 || size > limit.burst * SIZE_SHARE_MAX) return null;
  return { size, everyMs: (size / limit.sustained) * 1_000 };
}

/** Ours: windows of several machines begin within this share of a window of each other. */
const APART_WINDOWS = 0.1;
/** Ours: a window begins once in this time, that of several machines together. */
const SPAN_WINDOWS = 0.8;
const RENEWALS_MIN = 4;

/**
 * Whether the limiter was seen to earn requests all the time: refused, admitted, refused again,
 * more often in one window's time than a fixed window begins anew.
 */
export function earnsSteadily(shots: readonly Exchange[], limit: RateLimit): boolean {
  const window = windowMs(limit);
  const renewals = renewalsIn(shots, window * APART_WINDOWS);
  return renewals.some(({ fromMs }, at) => {
    const last = renewals[at + RENEWALS_MIN - 1];
    return last !== undefined && last.toMs - fromMs < window * SPAN_WINDOWS;
  });
}

interface Renewal {
  /** Sending of a refused request. */
  fromMs: number;
  /** Answer to an admitted one that was sent after that refusal. */
  toMs: number;
}

/** One after the other, and so far apart. */
function renewalsIn(shots: readonly Exchange[], apartMs: number): readonly Renewal[] {
  const refused = inTurn(shotsWith(shots, "refused"));
  const admitted = inTurn(shotsWith(shots, "admitted"));
  const found: Renewal[] = [];
  let at = 0;
  for (const { sentAtMs: fromMs, receivedAtMs } of refused) {
    if (fromMs < (found.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY) + apartMs) continue;
    // Times are whole milliseconds: what was sent in that of the answer may have been before it.
    while ((admitted[at]?.sentAtMs ?? Number.POSITIVE_INFINITY) <= receivedAtMs) at += 1;
    const renewed = admitted[at];
    if (renewed === undefined) break;
    found.push({ fromMs, toMs: renewed.receivedAtMs });
  }
  return found;
}

/**
 * The longest steps in which the limiter may refill: each renewal has a step of its own. Null where
 * it was not seen to earn requests all the time.
 */
export function longestSteps(shots: readonly Exchange[], limit: RateLimit): Refill | null {
  if (!earnsSteadily(shots, limit)) return null;
  const renewals = renewalsIn(shots, 0);
  const apartMs = renewals.slice(1).map(({ toMs }, at) => toMs - (renewals[at]?.fromMs ?? toMs));
  const everyMs = leastOf(apartMs);
  return { size: Math.max(1, (limit.sustained * everyMs) / 1_000), everyMs };
}
