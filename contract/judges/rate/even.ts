/**
 * The sustained rate by two steady phases after the burst was spent: just within the tolerance
 * next to nothing is refused, just beyond it something is. That holds for limiters of any kind,
 * also where refused requests use up allowance and overloading starves the key.
 */

import type { Sample } from "../../judging/claim.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import { countBelow, inTurn, timesOf } from "./ascending.ts";
import type { Drain, KeyTrial, SteadyPhase } from "./trial.ts";
import {
  isCutShort,
  outcomeOf,
  receivedAtMs,
  sentPerSecond,
  shotsWith,
  spanSeconds,
  steadyShots,
  unlawfullyRefused,
  withoutEqualLag,
} from "./trial.ts";

/** Ours: what comes unevenly has fewer refused; a limit that lies between has more. */
export const REFUSED_SHARE_MIN = 0.04;
/** Ours: a figure within the tolerance may be off by as much, less a little. */
export const FAR_TOLERANCES = 1.6;
/** Ours: between the tolerance and what is far off. */
const ABOVE_TOLERANCES = 1.5;
/** Ours: a rate that is half too high refuses nothing of it. */
const FURTHER_TOLERANCES = 6;
/** Ours: a sliding window counter has a whole request less to give; half a one is for its edge. */
const SPARE_REQUESTS = 1.5;
/** Ours: at half of its rate a limiter that counts windows has forgotten the request before. */
const BELOW_MIN = 0.5;

/** Requests per second of the two steady phases, and of one that may take the second's place. */
export function evenRates({ sustained, burst }: RateLimit, { sustainedShare }: Tolerances) {
  return {
    below: sustained * Math.max(BELOW_MIN, 1 - Math.max(sustainedShare, SPARE_REQUESTS / burst)),
    above: sustained * (1 + sustainedShare * ABOVE_TOLERANCES),
    further: sustained * (1 + sustainedShare * FURTHER_TOLERANCES),
  };
}

export type Overloaded = Pick<KeyTrial, "key" | "limit" | "drain"> &
  Partial<Pick<KeyTrial, "below">>;

/** What the steady phases tell; null without them. */
export function evenReading(trial: Overloaded, tolerances: Tolerances): Sample | null {
  const { drain, below: gentle = null } = trial;
  const even = drain?.even;
  const [short] = [even?.below ?? null, gentle].flatMap((each) => tooLittle(each, trial) ?? []);
  if (short !== undefined || drain === null || even === undefined) return short ?? null;
  return tooMuch(drain, even.above, trial, tolerances) ?? between(even, trial, tolerances);
}

/**
 * What the key surely got a second of a pace within its plan; null where some of it was refused, or
 * none was tried.
 */
export function gotEvenly({ drain, below = null, limit }: Omit<Overloaded, "key">): number | null {
  const steadyPhase = drain?.even?.below ?? below;
  return steadyPhase === null ? null : gotIn(steadyPhase, limit);
}

/** The same of a pace just beyond its plan, but for what was refused of it. */
export function gotBeyond({ drain }: Omit<Overloaded, "key">): number | null {
  if (drain?.even === undefined) return null;
  const { perSecond, refusedShare } = steady(drain.even.above);
  return perSecond * (1 - refusedShare);
}

/** Ours: of so many windows the last one may be counted as a whole. */
const UNREFUSED_WINDOWS = 2;

/**
 * What the key surely earned a second of such a pace since it was refused for the last time: then
 * it had nothing left. Bars and debts only lessen it. null where that is not long enough, or none
 * was refused.
 */
export function gotSinceRefused(trial: Omit<Overloaded, "key">): number | null {
  const { drain, below = null, limit } = trial;
  const steadyPhase = drain?.even?.below ?? below;
  const shots = steadyPhase === null ? [] : steadyShots(steadyPhase);
  const sent = inTurn(shots);
  const isRefused = (shot: Exchange) => outcomeOf(shot) === "refused";
  const last = sent.findLastIndex(isRefused);
  const beforeRun = sent.slice(0, last + 1).findLastIndex((shot) => !isRefused(shot));
  const fromMs = sent[beforeRun + 1]?.sentAtMs;
  const admitted = shotsWith(sent.slice(last + 1), "admitted");
  if (last < 0 || fromMs === undefined || admitted.length === 0) return null;
  const lastMs = mostOf(admitted.map(({ receivedAtMs }) => receivedAtMs));
  const spell = lastMs - (sent[last]?.sentAtMs ?? 0);
  if (spell < UNREFUSED_WINDOWS * windowMs(limit)) return null;
  return ((admitted.length - 1) * 1_000) / (lastMs - fromMs);
}

function gotIn(steadyPhase: SteadyPhase, limit: RateLimit): number | null {
  if (isCutShort(steadyPhase) || unlawfullyRefused(steadyPhase, limit).length > 0) return null;
  const { perSecond, refusedShare, savedPerSecond } = steady(steadyPhase);
  return perSecond * (1 - refusedShare) - savedPerSecond;
}

/** A key that asks for less than its plan is refused a part of it. */
function tooLittle(steadyPhase: SteadyPhase | null, { key, limit }: Overloaded): Sample | null {
  if (steadyPhase === null) return null;
  const exchanges = unlawfullyRefused(steadyPhase, limit).slice(-2);
  const { perSecond, refusedShare } = steady(steadyPhase);
  if (exchanges.length === 0 || refusedShare < REFUSED_SHARE_MIN) return null;
  const high = perSecond * (1 - refusedShare);
  const what =
    `${key}: admits ${high.toFixed(2)} of an even ${perSecond.toFixed(2)}/s, ` +
    `promised ${limit.sustained}/s`;
  return { low: 0, high, what, exchanges };
}

/** It is refused next to nothing of more than the tolerance allows. */
function tooMuch(
  drain: Drain,
  above: SteadyPhase,
  { key, limit }: Overloaded,
  { sustainedShare }: Tolerances,
): Sample | null {
  const most = limit.sustained * (1 + sustainedShare);
  const low = leastAdmitted(drain, above, limit, most);
  if (low <= most) return null;
  const asked = steady(above).perSecond.toFixed(2);
  const promised = `promised ${limit.sustained}/s`;
  const what = `${key}: refuses almost none of an even ${asked}/s, ${promised}`;
  const exchanges = shotsWith(steadyShots(above), "admitted").slice(-2);
  return { low, high: Number.POSITIVE_INFINITY, what, exchanges };
}

/** It lies between what was admitted of the one and what was asked for in the other. */
function between(
  even: NonNullable<Drain["even"]>,
  { key, limit }: Overloaded,
  { sustainedShare }: Tolerances,
): Sample {
  const above = steady(even.above);
  const low = gotIn(even.below, limit) ?? 0;
  // A generator that did not keep its pace sent in bunches, of which any limiter refuses some.
  const isBeyond = above.perSecond > limit.sustained;
  const isLimited = isBeyond && above.refusedShare >= REFUSED_SHARE_MIN;
  const far = limit.sustained * sustainedShare * FAR_TOLERANCES;
  // What was refused was refused lawfully: for the requests that such a limiter may keep back.
  const keptBack = (SPARE_REQUESTS * 1_000) / windowMs(limit);
  return {
    low,
    high: isLimited ? above.perSecond : Number.POSITIVE_INFINITY,
    mayReach: { low: limit.sustained - far - keptBack, high: limit.sustained + far },
    what:
      `${key}: admits ${low.toFixed(2)}/s and more, but not ${above.perSecond.toFixed(2)}/s, ` +
      `of ${limit.sustained}/s`,
  };
}

/** `savedPerSecond`: what the key may have had saved up, spread over the phase. */
function steady(steadyPhase: SteadyPhase) {
  const shots = steadyShots(steadyPhase);
  const refused = shotsWith(shots, "refused").length;
  const perSecond = sentPerSecond(shots);
  return {
    perSecond,
    refusedShare: refused / Math.max(1, shots.length),
    savedPerSecond: ((steadyPhase.savedUp ?? 0) * perSecond) / Math.max(1, shots.length),
  };
}

/**
 * What the key surely gets a second, less what windows let in at their edges and what it had saved
 * up. Of a key whose burst may be longer than what was spent nobody can tell.
 */
function leastAdmitted(drain: Drain, above: SteadyPhase, limit: RateLimit, most: number): number {
  const got = shotsWith(drain.volley.shots, "admitted").length;
  if (shotsWith(drain.volley.shots, "refused").length === 0) return 0;
  const shots = steadyShots({ ...above, shots: withoutEqualLag(above.shots) });
  const seconds = windowMs(limit) / 1_000;
  const pace = Math.max(above.offeredPerSecond, peakPerSecond(shots, windowMs(limit)));
  const atEdges = Math.max(0, pace - most) * 2 * seconds + 1;
  const longer = Math.max(0, got - limit.burst);
  const admitted = shotsWith(shots, "admitted").length - savedUpBy(above, limit);
  return (admitted - atEdges - longer) / spanSeconds(shots, receivedAtMs);
}

/**
 * What the key may have saved up when the phase became steady: what a bucket earned since its burst
 * was spent, less what was admitted. It earns also while it bars the key for what it has refused.
 * A burst that is held back is spent only once it was served.
 */
function savedUpBy(steadyPhase: SteadyPhase, { sustained, burst }: RateLimit): number {
  const { shots, savedUp, steadyFromMs } = steadyPhase;
  if (savedUp !== undefined || steadyFromMs === undefined) return savedUp ?? 0;
  const admitted = shotsWith(shots, "admitted").filter(({ sentAtMs }) => sentAtMs < steadyFromMs);
  const servedMs = timesOf(admitted, "receivedAtMs");
  const spentMs = servedMs[burst - 1] ?? leastOf(shots.map(({ sentAtMs }) => sentAtMs));
  const earned = ((steadyFromMs - spentMs) / 1_000) * sustained;
  return Math.min(burst, Math.max(0, burst + earned - admitted.length));
}

/** As many as may have come within a window of the limiter, by the window's length. */
function peakPerSecond(shots: readonly Exchange[], window: number): number {
  const answeredMs = timesOf(shots, "receivedAtMs");
  const within = timesOf(shots, "sentAtMs").map(
    (ms, before) => before + 1 - countBelow(answeredMs, ms - window),
  );
  return (mostOf(within) / window) * 1_000;
}
