/** What the tally of a load tells of machine and generator, and its series of the steady phase. */

import { secondsText } from "../../numbers/figures.ts";
import { meanDifferenceOf, meanOf, quantileOf } from "../../numbers/histogram.ts";
import type { RunPlan } from "../../run/run-plan.ts";
import type { GeneratorHealth, HostLag } from "./generator.ts";
import { lagAllowanceMs, machineDoubt } from "./generator.ts";
import type { LoadSteps, Range } from "./series.ts";
import {
  lengthOf,
  meanBacklog,
  meanBacklogIn,
  stepsBetween,
  sumOf,
  timesIn,
  wholeSteps,
} from "./series.ts";
import type { Backlog, Thirds } from "./stable.ts";
import { backlogNoise, SAMPLES_MIN, SIGMAS } from "./stable.ts";
import type { LoadSeen, LoadTally } from "./tally.ts";
import type { Steady, SteadyPart } from "./throughput.ts";
import { OFFERED_MIN } from "./throughput.ts";
import { mergeViolations, noViolations } from "./violations.ts";
import type { PlanRefusals } from "./within-plan.ts";

/** Ours: share of the seconds of which the worst lag counts; the others may be hiccups. */
const HOST_LAG_SHARE = 0.95;
/** Ours: a warm-up that takes more of the soak than that leaves no steady part. */
const WARM_UP_SHARE_MAX = 0.5;

/** How busy this machine was; the generator's own event loop runs late with it, if by less. */
export function hostLagOf(tally: Pick<LoadTally, "hostLag" | "loopDelay" | "runnable">): HostLag {
  const { hostLag, loopDelay, runnable } = tally;
  const loopMs = quantileOf(loopDelay, 0.99) ?? 0;
  const worst = hostLag.map((third) => Math.max(loopMs, quantileOf(third, HOST_LAG_SHARE) ?? 0));
  return {
    wholeMs: Math.max(...worst),
    lastThirdMs: worst[2] ?? loopMs,
    runnablePerCore: meanOf(runnable),
  };
}

/** How late the generator was, and what it dropped. */
export function healthOf(tally: LoadTally): GeneratorHealth {
  const { scheduled, dropped, errors, lag, loopDelay } = tally;
  return {
    scheduled,
    dropped: dropped + errors["not sent"],
    lagP99Ms: quantileOf(lag, 0.99) ?? 0,
    loopDelayP99Ms: quantileOf(loopDelay, 0.99) ?? 0,
    loopDelayMaxMs: loopDelay.max,
  };
}

/**
 * Time until jobs that came at the beginning have ended: before, ends are fewer than arrivals.
 * Later jobs are no measure of it: where a service falls behind, they live longer and longer.
 */
function warmUpMs({ tally, series, startMs, offerUntilMs }: LoadSeen): number | null {
  const usualMs = quantileOf(tally.livesByThird[0], 0.99) ?? 0;
  const ms = Math.ceil(usualMs / series.stepMs) * series.stepMs;
  return ms > (offerUntilMs - startMs) * WARM_UP_SHARE_MAX ? null : ms;
}

/**
 * By how many jobs the numbers in flight of two moments differ by chance, at worst, where each is
 * the mean of so many that know nothing of each other. Jobs that come regularly and live as long
 * as they do whatever others do: the variance is the rate times the integral of F(1 - F), where F
 * is the distribution of their lives.
 */
function byChance({ tally, jobsPerSecond }: LoadSeen, means: readonly number[]): number {
  const variance = (jobsPerSecond * meanDifferenceOf(tally.livesByThird[0])) / 2 / 1_000;
  return SIGMAS * Math.sqrt(means.reduce((sum, of) => sum + variance / of, 0));
}

/** Ends from the warm-up to the last submission, against as long a window of submissions. */
export function steadyPart(load: LoadSeen): SteadyPart | null {
  const { series, startMs, offerUntilMs } = load;
  const warmMs = warmUpMs(load);
  if (warmMs === null) return null;
  const warmSteps = warmMs / series.stepMs;
  const [from, to] = wholeSteps(series, startMs, offerUntilMs);
  return {
    offered: sumOf(series, "offered", [from, to - warmSteps]),
    completed: sumOf(series, "completed", [from + warmSteps, to]),
    seconds: ((to - from - warmSteps) * series.stepMs) / 1_000,
    byChance: byChance(load, [1, 1]),
  };
}

/**
 * Jobs that end at their limit, or that were chosen to run for long, live as long on any service:
 * some soaks are too short for them. Others offer too few jobs at the rate that was asked for, or
 * too few while the long ones of its beginning are still running.
 */
export function steadyOf(load: LoadSeen): Steady {
  const tooFew = offersTooFew(load, OFFERED_MIN);
  const tooShort = LONG_PARTS.flatMap((each) => tooShortFor(load, each) ?? []);
  const { ended, completed } = load.tally;
  const ofAll = { offered: load.tally.offered, endedOtherwise: ended - completed };
  return { part: steadyPart(load), hopeless: tooFew ?? tooShort[0] ?? null, ofAll };
}

/** Why the thirds of a soak have too few jobs each to be compared, whatever the service does. */
export function tooFewForThirds(load: LoadSeen): string | null {
  return offersTooFew(load, 3 * SAMPLES_MIN);
}

function offersTooFew(load: LoadSeen, needed: number): string | null {
  const durationMs = load.offerUntilMs - load.startMs;
  const offered = Math.round((load.jobsPerSecond * durationMs) / 1_000);
  if (offered >= needed) return null;
  const lasted = secondsText(durationMs, 0);
  return `a soak of ${lasted} offers ${offered} jobs at this rate; ${needed} are needed`;
}

/** `which`: what its jobs do. */
function tooShortFor(load: LoadSeen, [part, which]: (typeof LONG_PARTS)[number]): string | null {
  const { tally, series, startMs, offerUntilMs, jobsPerSecond } = load;
  const lives = tally.lives[part];
  const shortestMs = lives === undefined ? null : quantileOf(lives, ACCIDENTS_SHARE);
  if (shortestMs === null) return null;
  const durationMs = offerUntilMs - startMs;
  const neededMs = shortestMs / WARM_UP_SHARE_MAX;
  const lasted = `it lasted ${secondsText(durationMs, 0)}`;
  if (neededMs > durationMs) {
    return `jobs that ${which} need a soak of over ${secondsText(neededMs, 0)}; ${lasted}`;
  }
  const [from, to] = wholeSteps(series, startMs, offerUntilMs);
  const steadyMs = (to - from) * series.stepMs - shortestMs - LIVES_APART_MS;
  const enoughMs = (OFFERED_MIN / jobsPerSecond) * 1_000;
  if (steadyMs >= enoughMs) return null;
  const minimum = secondsText(durationMs + enoughMs - steadyMs, 0);
  return `jobs that ${which} need a soak of over ${minimum} at this rate; ${lasted}`;
}

/** Ours: so many may end long before they should, as jobs do that the system cancels. */
const ACCIDENTS_SHARE = 0.1;
/** Ours: so much longer than its shortest may a long job of a service that keeps up live. */
const LIVES_APART_MS = 1_000;

const LONG_PARTS = [
  ["timeout", "end at their limit"],
  ["slow", "run for long"],
] as const;

/** The first third begins when the service has filled up; a shorter soak has none. */
export function backlogOf(load: LoadSeen): Backlog {
  const { series, startMs, offerUntilMs, jobsPerSecond: rate } = load;
  const thirdMs = (offerUntilMs - startMs) / 3;
  const lifeMs = warmUpMs(load);
  const none = { first: null, last: null, rate, byChance: 0, isRefill: false };
  if (lifeMs === null || lifeMs >= thirdMs) return none;
  const thirds = {
    first: stepsBetween(series, startMs + lifeMs, startMs + thirdMs),
    last: stepsBetween(series, offerUntilMs - thirdMs, offerUntilMs),
  };
  const filled = (third: Range) =>
    meanBacklogIn(series, filledSteps(series, third, { rate, lifeMs }));
  const first = filled(thirds.first);
  return {
    first: first ?? meanBacklog(series, thirds.first),
    last: filled(thirds.last) ?? meanBacklog(series, thirds.last),
    rate,
    // The backlogs of moments a life apart know nothing of each other.
    byChance: byChance(load, [Math.max(1, thirdMs / lifeMs - 1), thirdMs / lifeMs]),
    isRefill: first === null,
  };
}

/** The times that `load.stable` compares. */
export function thirdsOf({ tally, series, startMs, offerUntilMs }: LoadSeen): readonly Thirds[] {
  const lastMs = offerUntilMs - (offerUntilMs - startMs) / 3;
  const range = stepsBetween(series, lastMs, offerUntilMs);
  const of = (name: string, field: "submit" | "poll" | "queueWait"): Thirds => {
    const [first, , last] = tally[field].thirds;
    const steps = timesIn(series, field).slice(...range);
    return { name, first, last, steps, isQueued: field === "queueWait" };
  };
  // Evidence of an earlier version has none of polls.
  const polls = tally.poll === undefined ? [] : [of("poll response", "poll")];
  return [of("submit response", "submit"), ...polls, of("queue wait", "queueWait")];
}

/** The longest that this machine let a thread stand still, for all that is known. */
export function stallMsOf(tally: LoadTally): number {
  const lag = hostLagOf(tally);
  if (machineDoubt(lag) !== null) return Number.POSITIVE_INFINITY;
  return Math.max(tally.loopDelay.max, lag.wholeMs);
}

/** The worst lag of any moment, when no more was offered and jobs were still running as well. */
export function worstLagMs({ loopDelay, hostLag, drainLagMs }: LoadTally): number {
  return Math.max(loopDelay.max, drainLagMs, ...hostLag.map(({ max }) => max));
}

/** How late this machine may have made any one job. */
export function lagOf(tally: LoadTally): number {
  return lagAllowanceMs(worstLagMs(tally));
}

export function refusalsOf({ refused: byStatus, scheduled, throttled, heldBack }: LoadTally) {
  const refused = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  return { scheduled, throttled, refused, heldBack };
}

/** Ours: a shard that is later than that catches up with more than its share of a key's limit. */
const LATE_SHARD_MS = 250;

/** A shard judges a 429 by its own requests: one that is late may have caused another's. */
export function refusalsIn(
  { planRefusals, lag, loopDelay }: LoadTally,
  { load }: RunPlan,
): PlanRefusals {
  const isShared = (load?.shards ?? 1) > 1;
  if (!isShared || Math.max(lag.max, loopDelay.max) <= LATE_SHARD_MS) return planRefusals;
  const { requests, unlawful, doubtful } = planRefusals;
  return { requests, unlawful: noViolations(), doubtful: mergeViolations(unlawful, doubtful) };
}

/** Ours: hosts are killed within that time, and the ends of their jobs told. */
const FALL_MS = 2_000;
/** Ours: so much of a backlog leaves by itself only where jobs live for seconds. */
const FALL_SHARE = 1 / 3;

/** Of a range, without those in which the backlog grows back; `lifeMs`: how long that takes. */
function filledSteps(
  series: LoadSteps,
  [from, to]: Range,
  { rate, lifeMs }: { rate: number; lifeMs: number },
): readonly number[] {
  const refillSteps = Math.ceil(lifeMs / series.stepMs);
  const falls = fallsIn(series, rate);
  const isFilled = (step: number) =>
    !falls.some((fall) => fall <= step && step <= fall + refillSteps);
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter(isFilled);
}

/** Steps within which, or soon after which, much of the backlog had left. */
function fallsIn(series: LoadSteps, rate: number): readonly number[] {
  const { stepMs, sums } = series;
  const levels = sums.backlogMs.map((sum) => sum / stepMs);
  const reach = Math.ceil(FALL_MS / stepMs);
  // The last step is cut off where nobody counted any more.
  return Array.from({ length: Math.max(0, lengthOf(series) - 1) }, (_, at) => at).filter((at) => {
    const level = levels[at] ?? 0;
    const left = Math.min(...levels.slice(at + 1, Math.min(at + 1 + reach, levels.length - 1)));
    return level - left > Math.max(backlogNoise(rate), level * FALL_SHARE);
  });
}
