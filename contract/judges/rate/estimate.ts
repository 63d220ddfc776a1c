/** What an overload tells of a limiter: its sustained rate, between which bounds, and its kind. */

import type { Exchange } from "../../exchange.ts";
import { leastOf, mostOf } from "../../extremes.ts";
import { gapsOf, medianOf } from "../../figures.ts";
import type { Range } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { overloadPerSecond, windowMs } from "../../plans.ts";
import { bucketBounds } from "./bucket-bounds.ts";
import type { Refill } from "./refill.ts";
import { refillIn, runsIn } from "./refill.ts";
import type { Drain } from "./trial.ts";
import { answeredAtMs, shotsWith, spanSeconds, withoutEqualLag } from "./trial.ts";

export interface RateInterval extends Range {
  value: number;
}

export type LimiterKind =
  | "token bucket or GCRA"
  | "token bucket refilled in steps"
  | "fixed window or sliding log"
  | "fixed window on the clock"
  | "sliding window counter"
  | "counts refused requests"
  | "unknown";

export interface LimiterEstimate {
  /** Requests per second; null when too little was admitted to tell. */
  sustained: RateInterval | null;
  kind: LimiterKind;
  /** True when overloading kept the key from what a caller who stays within the plan would get. */
  starved: boolean;
  /** Null where what comes back was not seen to come in steps. */
  refill: Refill | null;
}

/** Ours: fewer admitted than this share of the plan while overloaded means starved, not slow. */
const STARVED_SHARE = 0.6;
/** Ours: a pause this long, as a share of the window, separates two clumps of admissions. */
const CLUMP_GAP_SHARE = 0.3;
/** Ours: and it is this many times the usual gap. */
const CLUMP_GAP_FACTOR = 3;
/** Ours: below this number of admissions a rate is a guess. */
const ADMISSIONS_MIN = 5;

interface Admission {
  /** The middle of the request. */
  atMs: number;
  /** By how much the decision may lie before or after that. */
  errorMs: number;
}

function admissionsIn(shots: readonly Exchange[]): Admission[] {
  return shotsWith(shots, "admitted")
    .map((shot) => {
      const atMs = (shot.sentAtMs + answeredAtMs(shot)) / 2;
      return { atMs, errorMs: Math.max(atMs - shot.sentAtMs, shot.receivedAtMs - atMs) };
    })
    .sort((a, b) => a.atMs - b.atMs);
}

/** Ours: this share of the admissions at either end of an overload tells how late answers were. */
const END_SHARE = 0.1;

/** How far the overload's first and last admissions may really lie from each other. */
function endsErrorMs(admissions: readonly Admission[]): number {
  const count = Math.max(1, Math.floor(admissions.length * END_SHARE));
  const worst = (part: readonly Admission[]) => Math.max(0, ...part.map((each) => each.errorMs));
  return worst(admissions.slice(0, count)) + worst(admissions.slice(-count));
}

/** Ours: a bucket is full by then, and a window passes unused: what is longer was no overload. */
const STANDSTILL_WINDOWS = 1;

/** How long the key was overloaded: not while the generator stood still, nor after the end. */
function overloadSeconds(overload: readonly Exchange[], limit: RateLimit): number {
  const sent = overload.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  const gaps = gapsOf(sent);
  const standstillMs = windowMs(limit) * STANDSTILL_WINDOWS;
  return gaps.filter((gap) => gap <= standstillMs).reduce((a, b) => a + b, 0) / 1_000;
}

export function estimateLimiter(seen: Drain, limit: RateLimit): LimiterEstimate {
  const drain = evened(seen);
  const refill = refillIn(drain.press, limit);
  if (refill === null || isStarved(drain, limit)) {
    return { ...estimateUnstepped(drain, limit), refill };
  }
  const sustained = clumpedRate(runsIn(drain.press).map(admissionsIn), drain);
  return { sustained, kind: "token bucket refilled in steps", starved: false, refill };
}

function isStarved({ press: overload }: Drain, limit: RateLimit): boolean {
  const admitted = shotsWith(overload, "admitted").length;
  return admitted < limit.sustained * overloadSeconds(overload, limit) * STARVED_SHARE;
}

function estimateUnstepped(drain: Drain, limit: RateLimit): Omit<LimiterEstimate, "refill"> {
  const admissions = admissionsIn(drain.press);
  const admittedAtMs = admissions.map(({ atMs }) => atMs);
  const seconds = spanSeconds(drain.press);
  if (seconds === 0) return { sustained: null, kind: "unknown", starved: false };
  const starved = isStarved(drain, limit);
  if (starved) return { sustained: null, kind: "counts refused requests", starved };
  const clumps = splitIntoClumps(admissions, limit);
  const gridMs = (seconds * 1_000) / drain.press.length;
  const endsMs = endsErrorMs(admissions);
  if (clumps.length >= 3) {
    if (!areWindows(clumps)) return { sustained: null, kind: "unknown", starved };
    return {
      sustained: clumpedRate(clumps, drain),
      kind: windowKind(drain, clumps, limit),
      starved,
    };
  }
  if (areUnhindered(clumps, shotsWith(drain.press, "refused"), limit)) {
    return { sustained: null, kind: windowKind(drain, clumps, limit), starved };
  }
  const errorMs = gridMs / 2 + endsMs;
  const rate = evenRate(admittedAtMs, errorMs);
  const bounds = bucketBounds(drain, limit);
  if (hasPause(drain, admittedAtMs, limit)) return { sustained: rate, kind: COUNTER, starved };
  if (bounds.low > bounds.high) {
    // No bucket of any rate: a burst on the edge of two windows weighs on the next two.
    const later = evenRate(afterBurst(admittedAtMs, drain, limit), errorMs);
    return { sustained: later, kind: COUNTER, starved };
  }
  return { sustained: boundedRate(rate, bounds), kind: "token bucket or GCRA", starved };
}

function evened({ volley: burst, press: overload }: Drain): Drain {
  const shots = withoutEqualLag([...burst.shots, ...overload]);
  const count = burst.shots.length;
  return { volley: { ...burst, shots: shots.slice(0, count) }, press: shots.slice(count) };
}

const COUNTER: LimiterKind = "sliding window counter";

/**
 * What a bucket can have been at the least and at the most; wider where requests were late. The
 * line through its admissions bends with the times of requests; no bucket is outside of its bounds.
 */
function boundedRate(rate: RateInterval | null, { low, high }: Range): RateInterval | null {
  if (rate === null) return null;
  return {
    value: Math.min(high, Math.max(low, rate.value)),
    low: Math.min(low, rate.value),
    high: Number.isFinite(high) ? Math.max(high, rate.value) : Math.max(rate.high, low),
  };
}

/** A sliding window counter weighs the window before: that of the burst is gone after two. */
const WEIGHED_WINDOWS = 2;

function afterBurst(
  admittedAtMs: readonly number[],
  { volley: burst }: Drain,
  limit: RateLimit,
): number[] {
  const burstEnd = Math.max(...burst.shots.map(answeredAtMs));
  return admittedAtMs.filter((atMs) => atMs > burstEnd + WEIGHED_WINDOWS * windowMs(limit));
}

function splitIntoClumps(admissions: readonly Admission[], limit: RateLimit): Admission[][] {
  const gaps = gapsOf(admissions.map(({ atMs }) => atMs));
  const usual = medianOf(gaps);
  const split = Math.max(windowMs(limit) * CLUMP_GAP_SHARE, usual * CLUMP_GAP_FACTOR);
  const clumps: Admission[][] = [];
  admissions.forEach((admission, index) => {
    if (index === 0 || (gaps[index - 1] ?? 0) > split) clumps.push([]);
    clumps.at(-1)?.push(admission);
  });
  return clumps;
}

/** How often the overloaded key was refused for a while, and then admitted several at once. */
export function pausesIn(drain: Drain, limit: RateLimit): number {
  return Math.max(0, splitIntoClumps(admissionsIn(evened(drain).press), limit).length - 1);
}

/** Ours: each window lets the same burst in; what is more unlike the others is none. */
const CLUMP_SHARE_MIN = 0.75;

/** Only the last one may be smaller: it may be cut off. */
function areWindows(clumps: readonly (readonly Admission[])[]): boolean {
  const sizes = clumps.map(({ length }) => length);
  return Math.min(...sizes.slice(0, -1)) >= Math.max(...sizes) * CLUMP_SHARE_MIN;
}

/**
 * Ours: an overload of which less than this share was refused did not saturate the key. Whatever
 * limits it evenly refuses more of what comes between two admissions.
 */
const REFUSED_SHARE_MIN = 0.2;
/** Ours: of a strong key, which is overloaded by little, half of what is beyond its plan. */
const BEYOND_SHARE_MIN = 0.5;

export function refusedShareMin(limit: RateLimit): number {
  const beyond = 1 - limit.sustained / overloadPerSecond(limit);
  return Math.min(REFUSED_SHARE_MIN, BEYOND_SHARE_MIN * beyond);
}

/** A window that is not used up lets in what comes: that is the overload's pace, and no rate. */
function areUnhindered(
  clumps: readonly (readonly Admission[])[],
  refused: readonly Exchange[],
  limit: RateLimit,
): boolean {
  const between = refused.filter(({ sentAtMs, receivedAtMs }) =>
    clumps.some((clump) => {
      const [first, last] = [clump[0]?.atMs ?? 0, clump.at(-1)?.atMs ?? 0];
      return sentAtMs > first && receivedAtMs < last;
    }),
  ).length;
  const admitted = clumps.reduce((sum, { length }) => sum + length, 0);
  return between < (between + admitted) * refusedShareMin(limit);
}

/** When a window began: after the last refusal before it was sent, before its first answer. */
function startOf(clump: readonly Admission[], refused: readonly Exchange[]) {
  const [first] = clump;
  const toMs = first === undefined ? 0 : first.atMs + first.errorMs;
  const before = refused.filter((shot) => shot.receivedAtMs <= toMs);
  return { fromMs: mostOf(before.map(({ sentAtMs }) => sentAtMs)), toMs };
}

/**
 * Admitted from one window's start to the last one's, over the time between. The first one of a
 * overload may have begun before it: of all starts the one counts that leaves the least open.
 */
function clumpedRate(clumps: readonly (readonly Admission[])[], drain: Drain): RateInterval | null {
  const refused = shotsWith([...drain.volley.shots, ...drain.press], "refused");
  const starts = clumps.map((clump) => startOf(clump, refused));
  const end = starts.at(-1);
  if (end === undefined) return null;
  const rates = starts.slice(0, -1).flatMap((start, at) => {
    const admitted = clumps.slice(at, -1).reduce((sum, clump) => sum + clump.length, 0);
    const [least, most] = [end.fromMs - start.toMs, end.toMs - start.fromMs];
    const rate = rateInterval(admitted, (least + most) / 2, (most - least) / 2);
    return rate === null || rate.low === 0 ? [] : [rate];
  });
  const width = ({ low, high, value }: RateInterval) => (high - low) / value;
  return rates.sort((a, b) => width(a) - width(b))[0] ?? null;
}

/** Least squares over (ordinal, time): the grid of the overload averages out. */
function evenRate(times: readonly number[], errorMs: number): RateInterval | null {
  const n = times.length;
  const first = times[0];
  const last = times.at(-1);
  if (n < ADMISSIONS_MIN || first === undefined || last === undefined) return null;
  const meanIndex = (n - 1) / 2;
  const meanTime = times.reduce((sum, time) => sum + time, 0) / n;
  let covariance = 0;
  let variance = 0;
  times.forEach((time, index) => {
    covariance += (index - meanIndex) * (time - meanTime);
    variance += (index - meanIndex) ** 2;
  });
  const spacingMs = covariance / variance;
  return rateInterval(n - 1, spacingMs * (n - 1), errorMs);
}

function rateInterval(count: number, spanMs: number, errorMs: number): RateInterval | null {
  if (spanMs <= errorMs) return null;
  return {
    value: (count / spanMs) * 1_000,
    low: (count / (spanMs + errorMs)) * 1_000,
    high: (count / (spanMs - errorMs)) * 1_000,
  };
}

/** Share of a window by which a second clump that is aligned to the clock comes too soon. */
const ALIGNED_MARGIN_SHARE = 0.07;

function windowKind(
  drain: Drain,
  clumps: readonly (readonly Admission[])[],
  limit: RateLimit,
): LimiterKind {
  const burstStart = Math.min(...drain.volley.shots.map((shot) => shot.sentAtMs));
  const waited = (clumps[0]?.[0]?.atMs ?? 0) - burstStart;
  const soon = waited < windowMs(limit) * (1 - ALIGNED_MARGIN_SHARE);
  return soon ? "fixed window on the clock" : "fixed window or sliding log";
}

/**
 * Ours: a bucket admits the next request after one token's time; a pause of several is no bucket.
 */
const PAUSE_TOKENS = 4;

function hasPause(drain: Drain, admittedAtMs: readonly number[], limit: RateLimit): boolean {
  const first = admittedAtMs[0] ?? Number.NEGATIVE_INFINITY;
  const burstEnd = mostOf(drain.volley.shots.map(answeredAtMs));
  const overloadStart = leastOf(drain.press.map((shot) => shot.sentAtMs));
  const pauseMs = first - Math.max(burstEnd, overloadStart);
  return pauseMs > (PAUSE_TOKENS / limit.sustained) * 1_000;
}
