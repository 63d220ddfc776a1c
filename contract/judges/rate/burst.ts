/** rate.burst: a rested key gets its burst through at once, and not more. Spec §8. */

import type { Cause, Claim, Explanation, Range, Sample } from "../../judging/claim.ts";
import { anything, anythingIf } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import { excessIn } from "./admissions.ts";
import type { MeasuredTrial, MeasuredWatch } from "./measured.ts";
import { leastStepsIn, mayBeChance, moreInAll } from "./refill.ts";
import { isSkipping } from "./skipped.ts";
import type { Burst, KeyTrial } from "./trial.ts";
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
  const rested = watches.map(withRests).filter(({ volleys: bursts }) => bursts.length > 0);
  const samples = [
    ...trials.map((trial) => restedOf(trial, tolerances)),
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
    hidden: trials.flatMap(doubtsOf),
    evidence: Object.fromEntries([
      ...trials.map((trial) => [trial.key, shownOf(trial)]),
      ...rested.map((watch) => {
        const restsMs = watch.volleys.map(({ restedMs }) => Math.round(restedMs));
        return [shownAs(watch), { ...shownOf(watch), restsMs }];
      }),
    ]),
  };
}

/** Without bursts that came so soon after others that not even a bucket was full again. */
function withRests(watch: MeasuredWatch): MeasuredWatch {
  const leastMs = windowMs(watch.limit);
  return { ...watch, volleys: watch.volleys.filter(({ restedMs }) => restedMs >= leastMs) };
}

type Rested = Pick<KeyTrial, "key" | "limit" | "volleys">;

/** A key may be watched twice: with submissions, and by what it reads after longer rests. */
function shownAs({ key, volleys: bursts }: Rested): string {
  return `${key} ${bursts[0]?.isMixed === true ? "with submissions" : "after long rests"}`;
}

function shownOf({ limit, volleys: bursts }: Rested) {
  return { promised: limit.burst, admitted: admittedIn(bursts) };
}

/** What is more than that may have been earned meanwhile, or let in at the edge of a window. */
function boundsOf({ key, limit }: Rested, { burstMissing, burstExcess }: Tolerances) {
  const low = limit.burst - burstMissing;
  return {
    key,
    figure: `${key}: burst`,
    tolerated: { low, high: limit.burst + burstExcess },
    mayReach: { low, high: Number.POSITIVE_INFINITY },
  };
}

/** What all of the bursts surely let through at once, and what one of them did at the most. */
function restedOf(trial: MeasuredTrial, tolerances: Tolerances): Sample {
  const { key, limit, volleys: bursts, limiter, refill } = trial;
  const { tolerated } = boundsOf(trial, tolerances);
  const isEnough = bursts.length >= BURSTS_MIN;
  const early = moreInAll(bursts, refill, limit);
  const atLeast = (at: MomentOf) => {
    const least = leastOf(bursts, limit, isEnough ? null : tolerated, at);
    // What may have come back before it was due is none of it; the plan's own burst had been there.
    return Math.max(Math.min(least, limit.burst), least - early);
  };
  const low = atLeast(answeredAtMs);
  const short = shortOf(bursts, tolerated);
  // Steps make the counts larger.
  const steps = limiter?.refill ? ` (${limiter.refill.size.toFixed(1)} come back at a time)` : "";
  const counts = `${admittedIn(bursts).join(", ")} admitted, promised ${limit.burst}${steps}`;
  return {
    ...sampleOf(trial, tolerances, bursts[0]),
    low,
    what: `${key}: bursts of a rested key: ${counts}`,
    below: short === undefined ? [] : slowRefill(trial, short, tolerated),
    above: [
      { cause: "host lag", atMost: low - atLeast(receivedAtMs), why: SLOW_GENERATOR },
      ...untoldSteps(trial),
      ...anythingIf(mayBeOpenSteps(trial, tolerances), "counted refusals", COUNTED),
    ],
  };
}

const COUNTED =
  "refused requests count, so that the overload was refused altogether and could not tell how " +
  "the limiter refills: a part of it may have come back during each burst";

/**
 * Whether a refill whose steps nothing told explains what bursts let in beyond the limit's: by
 * chance a step may have come in each of them.
 */
export function mayBeOpenSteps(
  { volleys: bursts, limit, isRefillOpen }: OpenTrial,
  tolerances: Tolerances,
): boolean {
  if (!isRefillOpen || !bursts.every((burst) => isExcessive(burst, limit, tolerances)))
    return false;
  return moreInAll(bursts, leastStepsIn(bursts, limit), limit) > 0;
}

type OpenTrial = Pick<MeasuredTrial, "volleys" | "limit" | "isRefillOpen">;

/** `telling`: a burst that shows it, unless one falls short. */
function sampleOf(rested: Rested, tolerances: Tolerances, telling: Burst | undefined) {
  const { volleys: bursts } = rested;
  const bounds = boundsOf(rested, tolerances);
  const short = shortOf(bursts, bounds.tolerated);
  const admitted = shotsWith(telling?.shots ?? [], "admitted").slice(-1);
  const exchanges = short === undefined ? admitted : shotsWith(short.shots, "refused");
  return { ...bounds, high: Math.min(...bursts.map(mostOf)), exchanges };
}

function shortOf(bursts: readonly Burst[], { low }: Range): Burst | undefined {
  return bursts.find((burst) => mostOf(burst) < low);
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
  const { key, limit, volleys: bursts } = watch;
  const { tolerated } = boundsOf(watch, tolerances);
  const plain = plainOf(bursts);
  const excesses = plain.filter((burst) => isExcessive(burst, limit, tolerances));
  const spansMs = excesses.map(({ shots }) => spanSeconds(shots) * 1_000);
  const isSure = !mayBeChance(spansMs, renewalMs(watch, excesses), plain.length);
  const restedMs = Math.min(...bursts.map((burst) => burst.restedMs));
  const sample = sampleOf(watch, tolerances, excesses[0]);
  const least = leastOf(isSure ? excesses : plain, limit, isSure ? null : tolerated);
  return {
    ...sample,
    // What asks other endpoints may have allowances of its own: no more than the plan's is told.
    low: plain.length === 0 ? Math.min(limit.burst, sample.high) : least,
    what:
      `${key}: after rests of ${(restedMs / 1_000).toFixed(0)} s and more, bursts: ` +
      `${admittedText(bursts)}, promised ${limit.burst}`,
  };
}

/** How often a limiter may begin anew, or get back a part of it, as far as that is known, in ms. */
function renewalMs({ limit, refill, isRefillOpen }: MeasuredWatch, excesses: readonly Burst[]) {
  const steps = refill ?? (isRefillOpen ? leastStepsIn(excesses, limit) : null);
  return steps?.everyMs ?? windowMs(limit);
}

function admittedText(bursts: readonly Burst[]): string {
  const [plain, mixed] = [plainOf(bursts), bursts.filter(({ isMixed }) => isMixed === true)];
  const reads = `${admittedIn(plain).join(", ")} admitted`;
  if (mixed.length === 0) return reads;
  const others = admittedIn(mixed).join(", ");
  return plain.length === 0
    ? `${others} admitted of submissions and reads`
    : `${reads} (of all endpoints in turn: ${others})`;
}

/**
 * What each of them let through at once; with bounds, no more than may be at a window's edge. Where
 * most of them met no failure, one that failed was no refusal: up to the plan's burst it counts.
 */
function leastOf(
  bursts: readonly Burst[],
  limit: RateLimit,
  atEdge: Range | null,
  at: MomentOf = receivedAtMs,
): number {
  const whole = bursts.filter(({ shots }) => shotsWith(shots, "failed").length === 0);
  const areRare = whole.length > bursts.length / 2;
  const least = Math.min(
    ...bursts.map((burst) => {
      const sure = atOnce(burst, limit, at);
      return areRare ? Math.max(sure, Math.min(limit.burst, mostOf(burst))) : sure;
    }),
  );
  return atEdge === null ? least : Math.min(least, atEdge.high);
}

/** Even if every failed request had been admitted; Infinity where none was refused. */
function mostOf({ shots }: Burst): number {
  const refused = shotsWith(shots, "refused").length;
  return refused === 0 ? Number.POSITIVE_INFINITY : shots.length - refused;
}

function admittedIn(bursts: readonly Burst[]): readonly number[] {
  return bursts.map(({ shots }) => shotsWith(shots, "admitted").length);
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
