/** Phases at an even pace around a key's plan, which starve no limiter and tell of any. */

import type { LimiterEstimate } from "../../contract/judges/rate/estimate.ts";
import { evenRates, REFUSED_SHARE_MIN } from "../../contract/judges/rate/even.ts";
import type { Drain, SteadyPhase } from "../../contract/judges/rate/trial.ts";
import { shotsWith, steadyShots, unlawfullyRefused } from "../../contract/judges/rate/trial.ts";
import { withinPlanClaim } from "../../contract/judges/rate/within-plan.ts";
import { decide } from "../../contract/judging/decide.ts";
import { leastOf, mostOf } from "../../contract/numbers/extremes.ts";
import type { RateLimit } from "../../contract/plans.ts";
import { windowMs } from "../../contract/plans.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { Even } from "./bursts.ts";
import { stayEven, stayEvenFromRest } from "./bursts.ts";
import type { LimitedKey } from "./key.ts";
import { LONG_REST_WINDOWS, timeLeftMs } from "./key.ts";

/** Ours: as near to the plan as a schedule without catching up can stay below it. */
const BELOW_SHARE = 0.95;
/** Ours: with less the plan's rate would not be tried. */
const BELOW_SHARE_MIN = 0.8;
/** Ours: a key that gets 8 % too little is refused twice in that time, by a window each time. */
const BELOW_WINDOWS = 3;
const BELOW_ADMISSIONS = 67;
/** Ours: a machine that stalls for a second each 12 s leaves one of so many phases alone. */
const AGAIN_MAX = 5;
/** Ours: of less than that lost, a claim may still be told. */
const LOST_SHARE_MAX = 0.15;
/** Ours: so long that a rate which is 8 % off shows on either side of what is tolerated. */
const EVEN_WINDOWS = 5;
const EVEN_ADMISSIONS = 150;
/** Ours: what windows admit at their edges is less than half of what is beyond the tolerance. */
const ABOVE_WINDOWS = 7;
/** Ours: as long as an overload. */
const STEADY_MS_MAX = 40_000;
/** Ours: what a rested key has saved up is less than 3 % of what it asks for in that time. */
const FROM_REST_WINDOWS = 33;
const FROM_REST_MS_MAX = 80_000;
/** Ours: an overload may make good what it lost; below the plan, little: 0.95 stays below 1. */
export const OVERLOAD_CATCH_UP_MS = 1_000;
const BELOW_CATCH_UP_WINDOWS = 0.01;

export const IN_DOUBT: Verdict = "inconclusive";

/** Ours: what steady phases and the rest of a trial take, and in how many windows they rest. */
const AROUND_MS = 60_000;
const AROUND_WINDOWS = 15;

/** Without it the rate alone stays in doubt, and the other parts of the trial are not cut short. */
export function hasTime({ world, limit, untilMs }: LimitedKey): boolean {
  return world.now() + AROUND_MS + AROUND_WINDOWS * windowMs(limit) <= untilMs;
}

/** How long a steady phase may take, after its rests, that leaves time for what comes later. */
function timeToStayMs(key: LimitedKey): number {
  return timeLeftMs(key) - 2 * LONG_REST_WINDOWS * windowMs(key.limit);
}

/**
 * On both sides of the plan, slower than an overload: it starves no key, tells of any limiter. One
 * that refuses nothing just beyond the plan is tried further beyond it, where that leaves a doubt:
 * what may have been saved up meanwhile is a smaller part of it.
 */
export async function stayAround(
  key: LimitedKey,
  limiter: LimiterEstimate,
  isTold: (even: NonNullable<Drain["even"]>) => boolean,
): Promise<NonNullable<Drain["even"]>> {
  const { limit, plan } = key;
  const rates = evenRates(limit, plan.tolerances);
  const steadyMs = steadyMsOf(limit, EVEN_WINDOWS, EVEN_ADMISSIONS);
  const catchUpMs = windowMs(limit) * BELOW_CATCH_UP_WINDOWS;
  const within = { perSecond: rates.below, steadyMs, catchUpMs };
  let below = await stayWithin(key, limiter, within);
  const aboveMs = steadyMsOf(limit, ABOVE_WINDOWS, EVEN_ADMISSIONS);
  const pace = { perSecond: rates.above, steadyMs: aboveMs, catchUpMs: OVERLOAD_CATCH_UP_MS };
  const above = await stayEven(key, pace);
  // Of the two only the slower one may not make good what a stall has lost.
  for (let left = AGAIN_MAX; left > 0 && isRefusedSome(above); left -= 1) {
    if (isTold({ below, above }) || !hasTime(key)) break;
    const lostShareMax = left === 1 ? undefined : LOST_SHARE_MAX;
    below = await stayWithin(key, limiter, { ...within, lostShareMax });
  }
  const even = { below, above };
  if (isRefusedSome(above) || isTold(even) || !hasTime(key)) return even;
  const further = await stayEven(key, { ...pace, perSecond: rates.further });
  return isRefusedSome(further) ? even : { below, above: further };
}

function isRefusedSome(steadyPhase: SteadyPhase): boolean {
  return shotsWith(steadyShots(steadyPhase), "refused").length > 0;
}

/**
 * A limiter that counts refused requests and fills up by the second may hold a spent burst against
 * a key for long; one that was not spent it can't. Without time to try that, nothing is seen.
 */
async function stayWithin(
  key: LimitedKey,
  limiter: LimiterEstimate | null,
  even: Even,
): Promise<SteadyPhase> {
  const { limit } = key;
  const steadyPhase = await stayEven(key, even);
  if (limiter?.starved !== true || !isShort(steadyPhase, limit)) return steadyPhase;
  const longestMs = Math.min(FROM_REST_MS_MAX, FROM_REST_WINDOWS * windowMs(limit));
  const steadyMs = Math.min(longestMs, timeToStayMs(key));
  if (steadyMs < even.steadyMs) return notTried(even.perSecond);
  return stayEvenFromRest(key, { ...even, steadyMs });
}

/** A phase for which no time was left. */
function notTried(perSecond: number): SteadyPhase {
  return { offeredPerSecond: perSecond, shots: [] };
}

/** Whether so much was refused, lawfully or not, that the plan's rate can't be told from it. */
function isShort(steadyPhase: SteadyPhase, limit: RateLimit): boolean {
  const shots = steadyShots(steadyPhase);
  const refused = shotsWith(shots, "refused").length;
  return (
    refused >= shots.length * REFUSED_SHARE_MIN || unlawfullyRefused(steadyPhase, limit).length > 0
  );
}

function steadyMsOf(limit: RateLimit, windows: number, admissions: number): number {
  const ms = Math.max(windows * windowMs(limit), (admissions / limit.sustained) * 1_000);
  return Math.min(STEADY_MS_MAX, ms);
}

/**
 * What any lawful limiter may remember is over before: here a refusal is held against it. One that
 * was lawful, as requests came closer together than they were sent, asks for a gentler pace.
 */
export async function stayBelow(
  key: LimitedKey,
  limiter: LimiterEstimate | null,
): Promise<SteadyPhase> {
  const { limit } = key;
  const steadyMs = steadyMsOf(limit, BELOW_WINDOWS, BELOW_ADMISSIONS);
  const catchUpMs = windowMs(limit) * BELOW_CATCH_UP_WINDOWS;
  const pace = { steadyMs, catchUpMs, isMixed: true };
  const stay = (share: number, more: Partial<Even>) =>
    stayWithin(key, limiter, { ...pace, perSecond: limit.sustained * share, ...more });
  if (timeToStayMs(key) < steadyMs) return notTried(limit.sustained * BELOW_SHARE);
  let below = await stay(BELOW_SHARE, { lostShareMax: LOST_SHARE_MAX });
  for (let left = AGAIN_MAX; left > 0; left -= 1) {
    if (key.revocation.isSeen) return notTried(limit.sustained * BELOW_SHARE);
    const { verdict } = decide(withinPlanClaim([{ key: key.name, limit, below }]));
    if (verdict !== IN_DOUBT || timeToStayMs(key) < steadyMs) return below;
    const passages = below.shots.map((shot) => shot.receivedAtMs - shot.sentAtMs);
    const share = belowShare(limit, 2 * (mostOf(passages) - leastOf(passages)));
    // Where nothing came too close together, more that comes late may come at once.
    const isRoomy = !isRefusedSome(below);
    below = await stay(share, {
      lostShareMax: left === 1 ? undefined : LOST_SHARE_MAX,
      ...(isRoomy ? { catchUpMs: Math.max(catchUpMs, roomMs(limit, share)) } : {}),
    });
  }
  return below;
}

/** Requests of a window and of so much more, at that share of the plan, fit into the burst. */
function roomMs(limit: RateLimit, share: number): number {
  return (windowMs(limit) - 1_000 / limit.sustained) / share - windowMs(limit);
}

/**
 * What is sent evenly arrives unevenly: requests of a window and of what the way's unevenness adds
 * to it may come within one window, and one more at its edge; that has to fit into the burst.
 */
function belowShare(limit: RateLimit, unevenMs: number): number {
  const share = (windowMs(limit) - 1_000 / limit.sustained) / (windowMs(limit) + unevenMs);
  return Math.min(BELOW_SHARE, Math.max(BELOW_SHARE_MIN, share));
}
