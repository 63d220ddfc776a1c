/** rate.burst: a rested key gets its burst through at once, and not more. Spec §8. */

import type { Exchange } from "../../exchange.ts";
import type { Cause, Claim, Explanation, Range, Sample } from "../../judging/claim.ts";
import { anything, anythingIf } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Json } from "../../verdict.ts";
import { excessIn } from "./admissions.ts";
import type { MeasuredTrial, MeasuredWatch } from "./measured.ts";
import type { Refill } from "./refill.ts";
import { mayBeChance, moreInAll } from "./refill.ts";
import { isSkipping } from "./skipped.ts";
import type { Burst, KeyTrial, Watch } from "./trial.ts";
import { answeredAtMs, outcomeOf, plainOf, receivedAtMs, shotsWith, spanSeconds } from "./trial.ts";

/** Ours: bursts on a rested key that must agree before the limit's counts as too large. */
const BURSTS_MIN = 3;
/** Ours: a burst of which more failed says nothing of the limit. */
const FAILED_SHARE_MAX = 0.25;

export function burstClaim(
  trials: readonly MeasuredTrial[],
  tolerances: Tolerances,
  watches: readonly MeasuredWatch[] = [],
): Claim {
  const rested = watches.filter(({ volleys: bursts }) => bursts.length > 0);
  const samples = [
    ...trials.map((trial) => sampleOf(trial, tolerances)),
    ...rested.map((watch) => longRestsOf(watch, tolerances)),
  ];
  const seen = [...trials, ...watches].flatMap((each) =>
    excessIn("burst", each, tolerances).map((sample) => ({
      ...sample,
      ...boundsOf(each, tolerances),
      above: "drain" in each ? untoldSteps(each) : [],
    })),
  );
  return {
    promise: "rate.burst",
    unit: "requests",
    tolerated: { low: 0, high: Number.POSITIVE_INFINITY },
    samples: [...samples, ...seen],
    looks: [...trials, ...rested].reduce((sum, { volleys: bursts }) => sum + bursts.length, 0),
    of: "bursts",
    kept: samples.map(({ what }) => what).join("; "),
    without: "no rested key was tried",
    quorum: { openShare: 0 },
    hidden: trials.flatMap((trial) => doubtsOf(trial)),
    evidence: Object.fromEntries([
      ...trials.map((trial) => [trial.key, evidenceOf(trial)]),
      ...rested.map((watch) => [`${watch.key} after long rests`, restsOf(watch)]),
    ]),
  };
}

/** What is more than that may have been earned meanwhile, or let in at the edge of a window. */
function boundsOf({ key, limit }: Pick<KeyTrial, "key" | "limit">, tolerances: Tolerances) {
  const { burstMissing, burstExcess } = tolerances;
  const low = limit.burst - burstMissing;
  return {
    key,
    figure: `${key}: burst`,
    tolerated: { low, high: limit.burst + burstExcess },
    mayReach: { low, high: Number.POSITIVE_INFINITY },
  };
}

/** What all of the bursts surely let through at once, and what one of them did at the most. */
function sampleOf(trial: MeasuredTrial, tolerances: Tolerances): Sample {
  const { key, limit, volleys: bursts, limiter, refill } = trial;
  const steps = stepsOf(limiter?.refill ?? null);
  const bounds = boundsOf(trial, tolerances);
  const isEnough = bursts.length >= BURSTS_MIN;
  const early = moreInAll(bursts, refill, limit);
  const atLeast = (at: MomentOf) =>
    ofBurst(leastOf(bursts, limit, isEnough ? null : bounds, at), early, limit);
  const low = atLeast(answeredAtMs);
  const short = bursts.find((burst) => mostOf(burst) < bounds.tolerated.low);
  const counts = admittedIn(trial).join(", ");
  return {
    ...bounds,
    low,
    high: Math.min(...bursts.map(mostOf)),
    what: `${key}: bursts of a rested key: ${counts} admitted, promised ${limit.burst}${steps}`,
    below: short === undefined ? [] : slowRefill(trial, short, bounds.tolerated),
    above: [
      { cause: "host lag", atMost: low - atLeast(receivedAtMs), why: SLOW_GENERATOR },
      ...untoldSteps(trial),
    ],
    exchanges: short === undefined ? lastAdmitted(bursts[0]) : shotsWith(short.shots, "refused"),
  };
}

/** Without what may have come back before it was due; the plan's own burst had been there. */
function ofBurst(admitted: number, early: number, { burst }: RateLimit): number {
  return Math.max(Math.min(admitted, burst), admitted - early);
}

/** Said beside counts, which steps make larger. */
function stepsOf(refill: Refill | null): string {
  return refill === null ? "" : ` (${refill.size.toFixed(1)} come back at a time)`;
}

const SLOW_GENERATOR = "the generator was too slow to tell what the sustained rate added meanwhile";

/** A bucket that is refilled in steps admits a step more, and these can't be told everywhere. */
function untoldSteps({ drain, limit, refill }: MeasuredTrial): readonly Explanation[] {
  const isUntold = drain !== null && refill === null && isSkipping(drain.press, limit);
  const why = "the overload came too unevenly to tell how the limiter refills";
  return anythingIf(isUntold, "host lag", why);
}

/**
 * Bursts after rests so long that any lawful limiter forgets: none is short, and none but those at
 * the edge of a fixed window, which no rest hits again and again, is too long.
 */
function longRestsOf(watch: MeasuredWatch, tolerances: Tolerances): Sample {
  const { key, limit, volleys: bursts, refill } = watch;
  const bounds = boundsOf(watch, tolerances);
  const plain = plainOf(bursts);
  const excesses = plain.filter((burst) => isExcessive(burst, limit, tolerances));
  const spansMs = excesses.map(({ shots }) => spanSeconds(shots) * 1_000);
  const isSure = !mayBeChance(spansMs, refill?.everyMs ?? windowMs(limit));
  const short = bursts.find((burst) => mostOf(burst) < bounds.tolerated.low);
  const restedMs = Math.min(...bursts.map((burst) => burst.restedMs));
  return {
    ...bounds,
    low: leastOf(isSure ? excesses : plain, limit, isSure ? null : bounds),
    high: Math.min(...bursts.map(mostOf)),
    what:
      `${key}: after rests of ${(restedMs / 1_000).toFixed(0)} s and more, bursts: ` +
      `${admittedIn({ volleys: plain }).join(", ")} admitted${mixedText(bursts)}, ` +
      `promised ${limit.burst}`,
    exchanges: short ? shotsWith(short.shots, "refused") : lastAdmitted(excesses[0]),
  };
}

function mixedText(bursts: readonly Burst[]): string {
  const mixed = bursts.filter(({ isMixed }) => isMixed === true);
  if (mixed.length === 0) return "";
  return ` (of all endpoints in turn: ${admittedIn({ volleys: mixed }).join(", ")})`;
}

/** What each of them let through at once; with bounds, no more than may be at a window's edge. */
function leastOf(
  bursts: readonly Burst[],
  limit: RateLimit,
  atEdge: { tolerated: Range } | null,
  at: MomentOf = receivedAtMs,
): number {
  const least = Math.min(...bursts.map((burst) => atOnce(burst, limit, at)));
  return atEdge === null ? least : Math.min(least, atEdge.tolerated.high);
}

/** Even if every failed request had been admitted; Infinity where none was refused. */
function mostOf({ shots }: Burst): number {
  const refused = shotsWith(shots, "refused").length;
  return refused === 0 ? Number.POSITIVE_INFINITY : shots.length - refused;
}

function admittedIn({ volleys: bursts }: Pick<KeyTrial, "volleys">): readonly number[] {
  return bursts.map(({ shots }) => shotsWith(shots, "admitted").length);
}

function evidenceOf(trial: Pick<KeyTrial, "limit" | "volleys">) {
  return { promised: trial.limit.burst, admitted: admittedIn(trial) };
}

function restsOf(watch: Watch): Json {
  return {
    ...evidenceOf(watch),
    restsMs: watch.volleys.map(({ restedMs }) => Math.round(restedMs)),
  };
}

/**
 * Why bursts may fall short although the limit's is whole: one before them got all of it, more than
 * a smaller burst explains. Spec §8 doesn't say how long a spent burst takes to come back. Not
 * where some burst got too much.
 */
function slowRefill(
  { volleys: bursts, limit }: KeyTrial,
  short: Burst,
  tolerated: Range,
): readonly Explanation[] {
  const before = bursts.slice(0, bursts.indexOf(short));
  const full = before.find(({ shots }) => shotsWith(shots, "admitted").length >= tolerated.low);
  const isTooMuch = bursts.some((burst) => atOnce(burst, limit) > tolerated.high);
  if (full === undefined || isTooMuch) return [];
  const through = shotsWith(full.shots, "admitted");
  const fewest = Math.min(...bursts.map(mostOf));
  if (through.length - limit.sustained * spanSeconds(through, receivedAtMs) <= fewest) return [];
  const why =
    `after a rest of ${(short.restedMs / 1_000).toFixed(1)} s a spent burst was not back yet, ` +
    "or another caller used the key";
  return [anything("others' use", why)];
}

/** Why too large a burst could not be told from a right one. */
function doubtsOf({ key, volleys: bursts, drain }: KeyTrial): readonly Explanation[] {
  const doubt = (cause: Cause, why: string) => [anything(cause, `${key}: ${why}`)];
  if (bursts.length < BURSTS_MIN) {
    return doubt("too little seen", `${bursts.length} rested bursts, needs ${BURSTS_MIN}`);
  }
  const isRefused = [...bursts.flatMap(({ shots }) => shots), ...(drain?.press ?? [])].some(
    (shot) => outcomeOf(shot) === "refused",
  );
  if (drain !== null && !isRefused) {
    const explainedBy = [{ promise: "rate.limited", key }] as const;
    const why = "nothing was ever refused (see rate.limited)";
    return doubt("another fault", why).map((each) => ({ ...each, explainedBy }));
  }
  const isFailing = bursts.some(
    ({ shots }) => shotsWith(shots, "failed").length > shots.length * FAILED_SHARE_MAX,
  );
  return isFailing ? doubt("another fault", "too many requests of the bursts failed") : [];
}

type MomentOf = (exchange: Exchange) => number;

/** Those of the plan's burst, or what was admitted less what was earned until the last answer. */
function atOnce({ shots }: Burst, limit: RateLimit, momentOf: MomentOf = receivedAtMs): number {
  const admitted = shotsWith(shots, "admitted");
  const earned = limit.sustained * spanSeconds(admitted, momentOf);
  return Math.max(Math.min(admitted.length, limit.burst), admitted.length - earned);
}

/** More than a burst and what was earned meanwhile. */
export function isExcessive(burst: Burst, limit: RateLimit, { burstExcess }: Tolerances): boolean {
  return atOnce(burst, limit) > limit.burst + burstExcess;
}

function lastAdmitted(burst: Burst | undefined): readonly Exchange[] {
  return shotsWith(burst?.shots ?? [], "admitted").slice(-1);
}
