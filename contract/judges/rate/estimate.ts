/** What an overload tells of a limiter: its sustained rate, between which bounds, and its kind. */

import type { Range } from "../../judging/claim.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { gapsOf, medianOf } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import { overloadPerSecond, windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { groupsOf } from "../../time/spans.ts";
import { timesOf } from "./ascending.ts";
import { bucketBounds } from "./bucket-bounds.ts";
import { evened } from "./evened.ts";
import type { Refill } from "./refill.ts";
import { refillIn, runsIn } from "./refill.ts";
import type { Drain } from "./trial.ts";
import { answeredAtMs, shotsWith, spanSeconds } from "./trial.ts";

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

function middleMs(shot: Exchange): number {
  return (shot.sentAtMs + answeredAtMs(shot)) / 2;
}

function admittedIn(shots: readonly Exchange[]): readonly Exchange[] {
  return shotsWith(shots, "admitted").toSorted((a, b) => middleMs(a) - middleMs(b));
}

/**
 * The burst of a bucket: what was admitted from its first volley to any time of the overload, less
 * what came back by then at the rate that was measured. In an overload that keeps its pace answers
 * come soon, which in a volley they don't. null where nothing tells.
 */
export function burstByOverload({ volley, press }: Drain, estimate: LimiterEstimate) {
  const { sustained, kind } = estimate;
  if (sustained === null || kind !== "token bucket or GCRA") return null;
  const [first, ...later] = admittedIn([...volley.shots, ...press]);
  if (first === undefined) return null;
  const begunMs = middleMs(first);
  const overload = new Set(press);
  const bursts = later.flatMap((shot, at) => {
    const backMs = middleMs(shot) - begunMs;
    return overload.has(shot) ? [at + 2 - (sustained.value * backMs) / 1_000] : [];
  });
  return bursts.length < ADMISSIONS_MIN ? null : medianOf(bursts);
}

/** Ours: this share of the admissions at either end of an overload tells how late answers were. */
const END_SHARE = 0.1;

/** How far the overload's first and last admissions may really lie from each other. */
function endsErrorMs(admitted: readonly Exchange[]): number {
  const count = Math.max(1, Math.floor(admitted.length * END_SHARE));
  const late = admitted.map((shot) => Math.max(0, shot.receivedAtMs - middleMs(shot)));
  return Math.max(0, mostOf(late.slice(0, count))) + Math.max(0, mostOf(late.slice(-count)));
}

/** Ours: a bucket is full by then, and a window passes unused: what is longer was no overload. */
const STANDSTILL_WINDOWS = 1;

export function estimateLimiter(seen: Drain, limit: RateLimit): LimiterEstimate {
  const { drain, lateShare } = evened(seen);
  const refill = refillIn(drain.press, limit);
  const starved = isStarved(drain, limit);
  if (starved) return { sustained: null, kind: "counts refused requests", starved, refill };
  if (refill === null) {
    const { sustained, kind } = withoutSteps(drain, limit);
    return { sustained: widened(sustained, lateShare), kind, starved, refill };
  }
  const sustained = widened(rateBetween(runsIn(drain.press).map(admittedIn), drain), lateShare);
  return { sustained, kind: "token bucket refilled in steps", starved, refill };
}

/** Those whose time is open may have been admitted before the span that was measured, or after. */
function widened(rate: RateInterval | null, share: number): RateInterval | null {
  if (rate === null) return null;
  return { ...rate, low: rate.low * (1 - share), high: rate.high * (1 + share) };
}

/** Not counted is while the generator stood still, and what came after the end. */
function isStarved({ press: overload }: Drain, limit: RateLimit): boolean {
  const gaps = gapsOf(timesOf(overload, "sentAtMs"));
  const standstillMs = windowMs(limit) * STANDSTILL_WINDOWS;
  const overloadMs = gaps.filter((gap) => gap <= standstillMs).reduce((a, b) => a + b, 0);
  const admitted = shotsWith(overload, "admitted").length;
  return admitted < limit.sustained * (overloadMs / 1_000) * STARVED_SHARE;
}

function withoutSteps(drain: Drain, limit: RateLimit): Pick<LimiterEstimate, "sustained" | "kind"> {
  const { press: overload } = drain;
  const admitted = admittedIn(overload);
  const spanMs = spanSeconds(overload) * 1_000;
  if (spanMs === 0) return UNTOLD;
  const admittedAtMs = admitted.map(middleMs);
  const [firstMs = Number.NEGATIVE_INFINITY] = admittedAtMs;
  const clumps = splitIntoClumps(admitted, limit);
  const isCounted = clumps.length >= CLUMPS_MIN;
  if (isCounted && !areWindows(clumps)) return UNTOLD;
  if (isCounted || areUnhindered(clumps, shotsWith(overload, "refused"), limit)) {
    const sustained = isCounted ? rateBetween(clumps, drain) : null;
    return { sustained, kind: windowKind(drain, firstMs, limit) };
  }
  const errorMs = spanMs / overload.length / 2 + endsErrorMs(admitted);
  const rate = evenRate(admittedAtMs, errorMs);
  const bounds = bucketBounds(drain, limit);
  if (hasPause(drain, admitted, limit)) return { sustained: rate, kind: COUNTER };
  if (bounds.low > bounds.high) {
    // No bucket of any rate: a burst on the edge of two windows weighs on the next two.
    return { sustained: evenRate(afterBurst(admittedAtMs, drain, limit), errorMs), kind: COUNTER };
  }
  return { sustained: boundedRate(rate, bounds), kind: "token bucket or GCRA" };
}

const UNTOLD = { sustained: null, kind: "unknown" } as const;
/** Ours: of fewer, nobody can tell whether they repeat. */
const CLUMPS_MIN = 3;

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

function splitIntoClumps(
  admitted: readonly Exchange[],
  limit: RateLimit,
): readonly (readonly Exchange[])[] {
  const gaps = gapsOf(admitted.map(middleMs));
  const split = Math.max(windowMs(limit) * CLUMP_GAP_SHARE, medianOf(gaps) * CLUMP_GAP_FACTOR);
  return groupsOf(admitted, (next, before) => middleMs(next) - middleMs(before) > split);
}

/** How often the overloaded key was refused for a while, and then admitted several at once. */
export function pausesIn(drain: Drain, limit: RateLimit): number {
  return Math.max(0, splitIntoClumps(admittedIn(evened(drain).drain.press), limit).length - 1);
}

/** Ours: each window lets the same burst in; what is more unlike the others is none. */
const CLUMP_SHARE_MIN = 0.75;

/** Only the last one may be smaller: it may be cut off. */
function areWindows(clumps: readonly (readonly Exchange[])[]): boolean {
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
  clumps: readonly (readonly Exchange[])[],
  refused: readonly Exchange[],
  limit: RateLimit,
): boolean {
  const times = clumps.map((clump) => clump.map(middleMs));
  const between = refused.filter(({ sentAtMs, receivedAtMs }) =>
    times.some((ms) => sentAtMs > (ms[0] ?? 0) && receivedAtMs < (ms.at(-1) ?? 0)),
  ).length;
  const admitted = clumps.flat().length;
  return between < (between + admitted) * refusedShareMin(limit);
}

/** When a window, or a step, began: after the last refusal before it, before its first answer. */
function startOf([first]: readonly Exchange[], refused: readonly Exchange[]) {
  const toMs = first?.receivedAtMs ?? 0;
  const before = refused.filter((shot) => shot.receivedAtMs <= toMs);
  return { fromMs: mostOf(before.map(({ sentAtMs }) => sentAtMs)), toMs };
}

/**
 * Admitted from the start of a window, or a step, to the last one's, over the time between. The
 * first may have begun before the overload: the start counts that leaves the least open.
 */
function rateBetween(clumps: readonly (readonly Exchange[])[], drain: Drain): RateInterval | null {
  const refused = shotsWith([...drain.volley.shots, ...drain.press], "refused");
  const starts = clumps.map((clump) => startOf(clump, refused));
  const end = starts.at(-1);
  if (end === undefined) return null;
  const rates = starts.slice(0, -1).flatMap((start, at) => {
    const admitted = clumps.slice(at, -1).flat().length;
    return rateInterval(admitted, end.fromMs - start.toMs, end.toMs - start.fromMs) ?? [];
  });
  const width = ({ low, high, value }: RateInterval) => (high - low) / value;
  return rates.sort((a, b) => width(a) - width(b))[0] ?? null;
}

/** Least squares over (ordinal, time): the grid of the overload averages out. */
function evenRate(times: readonly number[], errorMs: number): RateInterval | null {
  const n = times.length;
  if (n < ADMISSIONS_MIN) return null;
  const meanIndex = (n - 1) / 2;
  const meanTime = times.reduce((sum, time) => sum + time, 0) / n;
  let covariance = 0;
  let variance = 0;
  times.forEach((time, index) => {
    covariance += (index - meanIndex) * (time - meanTime);
    variance += (index - meanIndex) ** 2;
  });
  const spanMs = (covariance / variance) * (n - 1);
  return rateInterval(n - 1, spanMs - errorMs, spanMs + errorMs);
}

/** So many in a time between those. */
function rateInterval(count: number, leastMs: number, mostMs: number): RateInterval | null {
  if (!(leastMs > 0 && mostMs < Infinity)) return null;
  const perSecond = (ms: number) => (count / ms) * 1_000;
  const value = perSecond((leastMs + mostMs) / 2);
  return { value, low: perSecond(mostMs), high: perSecond(leastMs) };
}

/** Share of a window by which a second clump that is aligned to the clock comes too soon. */
const ALIGNED_MARGIN_SHARE = 0.07;

function windowKind({ volley }: Drain, firstMs: number, limit: RateLimit): LimiterKind {
  const waitedMs = firstMs - leastOf(volley.shots.map(({ sentAtMs }) => sentAtMs));
  const isSoon = waitedMs < windowMs(limit) * (1 - ALIGNED_MARGIN_SHARE);
  return isSoon ? "fixed window on the clock" : "fixed window or sliding log";
}

/**
 * Ours: a bucket admits the next request after one token's time; a pause of several is no bucket.
 */
const PAUSE_TOKENS = 4;

function hasPause({ volley, press }: Drain, [first]: readonly Exchange[], limit: RateLimit) {
  if (first === undefined) return false;
  const burstEnd = mostOf(volley.shots.map(answeredAtMs));
  const pressStart = leastOf(press.map(({ sentAtMs }) => sentAtMs));
  // Only refusals tell of a pause: a late answer, or a generator that stood still, looks like one.
  const before = shotsWith(press, "refused").filter((shot) => shot.receivedAtMs <= first.sentAtMs);
  const pauseMs = mostOf(before.map(({ sentAtMs }) => sentAtMs)) - Math.max(burstEnd, pressStart);
  return pauseMs > (PAUSE_TOKENS / limit.sustained) * 1_000;
}
