/** rate.sustained: over a long overload the admitted rate is the plan's. Spec §8. */

import type { Claim, Explanation, Sample } from "../../judging/claim.ts";
import { anything, anythingIf, upTo } from "../../judging/claim.ts";
import { standing } from "../../judging/standing.ts";
import { percentileOf, rounded } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import type { Json } from "../../verdict.ts";
import { excessIn } from "./admissions.ts";
import type { LimiterEstimate, LimiterKind } from "./estimate.ts";
import { pausesIn, refusedShareMin } from "./estimate.ts";
import type { Overloaded } from "./even.ts";
import { evenReading, FAR_TOLERANCES, gotBeyond, gotEvenly, gotSinceRefused } from "./even.ts";
import { evened } from "./evened.ts";
import type { MeasuredTrial, MeasuredWatch } from "./measured.ts";
import { gapShare, isRested, isSkipping, skippedIn } from "./skipped.ts";
import type { Drain } from "./trial.ts";
import { outcomeOf, shotsWith, spanSeconds } from "./trial.ts";
import type { WaitingLine } from "./waiting-line.ts";
import { waitingLine } from "./waiting-line.ts";

type Tried = Overloaded & Pick<MeasuredTrial, "limiter" | "excess">;

export function sustainedClaim(
  trials: readonly Tried[],
  tolerances: Tolerances,
  watches: readonly MeasuredWatch[] = [],
): Claim {
  const read = trials.flatMap((trial) => {
    const sample = readingOf(trial, tolerances);
    return sample === null ? [] : [{ trial, sample }];
  });
  const watched = watches.flatMap((watch) =>
    excessIn("rate", watch, tolerances).map((sample) => toldOf(sample, watch, tolerances)),
  );
  return {
    promise: "rate.sustained",
    unit: "per second",
    tolerated: { low: 0, high: Number.POSITIVE_INFINITY },
    samples: [...read.map(({ sample }) => sample), ...watched],
    of: "overload phases",
    kept: read.map(({ sample }) => sample.what).join("; "),
    without: "no key had an overload phase",
    quorum: { openShare: 0 },
    evidence: Object.fromEntries(
      read.map(({ trial, sample }) => [trial.key, evidenceOf(trial, sample)]),
    ),
  };
}

/**
 * By a span in which surely too many were admitted; else by the overload; where that leaves it
 * in doubt, by what was sent evenly around the plan.
 */
function readingOf(trial: Tried, tolerances: Tolerances): Sample | null {
  const readings = [
    ...excessIn("rate", trial, tolerances),
    overloadReading(trial, tolerances),
    evenReading(trial, tolerances),
  ]
    .filter((each) => each !== null)
    .map((each) => toldOf(each, trial, tolerances));
  const tells = (sample: Sample) => ["good", "off"].includes(standing(sample).says);
  return readings.find(tells) ?? readings[0] ?? null;
}

function toldOf(
  sample: Sample,
  { key, limit }: Pick<Tried, "key" | "limit">,
  tolerances: Tolerances,
): Sample {
  return { key, figure: `${key}: rate`, tolerated: toleratedOf(limit, tolerances), ...sample };
}

function toleratedOf({ sustained }: RateLimit, { sustainedShare }: Tolerances) {
  return { low: sustained * (1 - sustainedShare), high: sustained * (1 + sustainedShare) };
}

function evidenceOf({ limit, limiter }: Tried, { low, high, likely }: Sample): Json {
  return {
    promisedPerSecond: limit.sustained,
    ...(likely === undefined ? {} : { measuredPerSecond: rounded(likely, 3) }),
    ...(low > 0 ? { low: rounded(low, 3) } : {}),
    ...(Number.isFinite(high) ? { high: rounded(high, 3) } : {}),
    ...(limiter === null ? {} : { kind: limiter.kind }),
  };
}

function overloadReading(trial: Tried, tolerances: Tolerances): Sample | null {
  const { key, limit, drain, limiter } = trial;
  if (drain === null || limiter === null) return null;
  const line = waitingLine(drain, limit);
  if (line !== null) return { ...lineReading(trial, line), exchanges: drain.press.slice(-2) };
  const { sustained, kind } = limiter;
  const untold = whyUntold(drain, limiter, limit);
  if (untold !== null || sustained === null) {
    const isUnlimited = shotsWith(drain.press, "refused").length === 0;
    const explainedBy = isUnlimited ? [{ promise: "rate.limited", key } as const] : [];
    return { low: 0, high: Number.POSITIVE_INFINITY, what: `${key}: ${untold}`, explainedBy };
  }
  const { value, low, high } = sustained;
  const tolerated = toleratedOf(limit, tolerances);
  const far = limit.sustained * tolerances.sustainedShare * FAR_TOLERANCES;
  // A window counter weighs the last window in whole requests: up to one a window is lost.
  const lost = kind === "sliding window counter" ? 1_000 / windowMs(limit) : 0;
  const uneven = unevenness(drain, limit);
  const skipped = skippedIn(drain.press, limit, tolerances);
  return {
    low,
    high,
    likely: value,
    tolerated: { ...tolerated, low: tolerated.low - lost },
    mayReach: { low: limit.sustained - far, high: limit.sustained + far },
    what: `${key}: admits ${value.toFixed(2)}/s, promised ${limit.sustained}/s`,
    unclear:
      `${key}: admits ${value.toFixed(2)}/s, by the times of requests ${low.toFixed(2)} to ` +
      `${high.toFixed(2)}/s: too near the tolerance to tell`,
    below: [
      ...uneven,
      ...wholeRequestsOf(limit, skipped),
      ...countedRefusals(trial, {
        underOverload: high,
        least: limit.sustained - far,
        tolerated: tolerated.low,
      }),
      ...countedOnce(trial),
    ],
    above: [...uneven, ...mixedUp(kind, drain, limit)],
    exchanges: drain.press.slice(-2),
  };
}

/** Of a limiter that refuses nothing: the rate of its answers. */
function lineReading({ key, limit }: Tried, { rate }: WaitingLine): Sample {
  const { value, low, high } = rate;
  const what = `${key}: answers ${value.toFixed(2)}/s, promised ${limit.sustained}/s`;
  return { low, high, likely: value, what };
}

/** Why an overload tells no rate; null where it does. */
function whyUntold(
  { press: overload }: Drain,
  { sustained, starved }: LimiterEstimate,
  limit: RateLimit,
): string | null {
  const refused = shotsWith(overload, "refused").length;
  if (refused === 0) return "no request got 429 under overload (see rate.limited)";
  if (refused < overload.length * refusedShareMin(limit)) {
    const rate = shotsWith(overload, "admitted").length / Math.max(spanSeconds(overload), 0.001);
    return `the overload phase reached ${rate.toFixed(1)}/s, too little to saturate the key`;
  }
  if (sustained === null && pausedShare(overload) > PAUSED_SHARE_MAX) {
    return "requests paused during part of the overload phase, too few were admitted to tell";
  }
  if (starved) {
    return (
      "refused requests seem to be counted, so that overload starves the key; " +
      "its sustained rate can't be seen from above"
    );
  }
  return sustained === null ? "admits too few requests, or too unevenly, to tell" : null;
}

/** What may make a rate look like one outside of what is tolerated. */
function unevenness(drain: Drain, limit: RateLimit): readonly Explanation[] {
  const isPaused = pausedShare(drain.press) > PAUSED_SHARE_MAX;
  const served = answeredIn(drain);
  const isAway = pausedShare(served.press) > PAUSED_SHARE_MAX || isRested(served, limit);
  const away = "for a while all requests failed, and the key may have rested";
  const rested = "the key had rested before the overload phase";
  return [
    ...anythingIf(isAway, "another fault", away),
    ...anythingIf(isBlurred(drain, limit), "network", "responses came too unevenly to tell"),
    ...anythingIf(isPaused, "host lag", "requests paused during part of the overload phase"),
    ...anythingIf(isRested(drain, limit), "host lag", rested),
  ];
}

/** What a limiter saw for certain: of what failed it may have counted nothing. */
function answeredIn({ volley, press }: Drain): Drain {
  const answered = (shots: Drain["press"]) => shots.filter((shot) => outcomeOf(shot) !== "failed");
  return { volley: { ...volley, shots: answered(volley.shots) }, press: answered(press) };
}

/** Ours: rates that differ by less are the same, as far as phases of seconds tell. */
const SAME_RATE_SHARE = 0.02;
/** Ours: of what an overload gets, so little a slower pace gets of no limiter that counts. */
const LESS_SHARE = 0.75;

/**
 * Who asks for less gets more, with the burst spent: what was refused had used up the rest. Not
 * where a pace just beyond the plan got less, as fewer of it were refused.
 */
function countedRefusals(
  trial: Tried,
  { underOverload, least, tolerated }: { underOverload: number; least: number; tolerated: number },
): readonly Explanation[] {
  const since = gotSinceRefused(trial);
  // What refusals are owed may still be paid off when the pace begins, and be refused now and then.
  const even = gotEvenly(trial) ?? (since !== null && since >= least ? since : null);
  const beyond = gotBeyond(trial) ?? underOverload;
  if (even === null || even <= underOverload || beyond < LESS_SHARE * underOverload) return [];
  // Short of what is tolerated, a burst may have made up for what a slow key lacks.
  const isTolerated = even * (1 + SAME_RATE_SHARE) >= tolerated;
  if (!isTolerated && even <= underOverload * (1 + SAME_RATE_SHARE)) return [];
  const why = `refused requests seem to be counted, as an even ${even.toFixed(2)}/s was admitted`;
  return [anything("counted refusals", why)];
}

/**
 * A limiter that bars the key once it has refused may count the request that it refused, one for
 * each time: whoever asks too much loses those, and whoever stays within the plan loses none.
 */
function countedOnce(trial: Tried): readonly Explanation[] {
  const { drain, limit } = trial;
  if (drain === null || gotEvenly(trial) === null) return [];
  const pauses = pausesIn(drain, limit);
  const why = `the key was barred ${pauses} times, and the refused requests may count`;
  return upTo(pauses / Math.max(spanSeconds(drain.press), 0.001), "counted refusals", why);
}

/** Ours: where the times of answers differ by more of a window, kinds of limiters look alike. */
const BLUR = { windows: 0.1, lowest: 0.05, highest: 0.95 } as const;

function isBlurred(drain: Drain, limit: RateLimit): boolean {
  const took = evened(drain).drain.press.map((shot) => shot.receivedAtMs - shot.sentAtMs);
  const spreadMs = percentileOf(took, BLUR.highest) - percentileOf(took, BLUR.lowest);
  return spreadMs > windowMs(limit) * BLUR.windows;
}

/** Ours: what would have been admitted meanwhile is missing, or comes in one piece after it. */
const PAUSED_SHARE_MAX = 0.02;
/** Ours: overloads are jittered; so many times the usual gap is a pause. */
const PAUSE_GAPS = 5;

/** Share of the overload in which nothing was sent, by the generator's or the path's doing. */
function pausedShare(overload: Drain["press"]): number {
  return gapShare(overload, PAUSE_GAPS);
}

/** Ours: with a burst of so many, and with smaller ones, kinds look alike under overload. */
const TOLD_APART_BURST = 10;

/**
 * A counter that weighs whole ones, or a window that begins only with the next one: a request a
 * window, and what was earned while nothing asked for it.
 */
function wholeRequestsOf(limit: RateLimit, skipped: number): readonly Explanation[] {
  const why = "a limiter of so small a burst may lose a request a window";
  const atMost = ((1 + skipped) * 1_000) / windowMs(limit);
  const isUntold = limit.burst <= TOLD_APART_BURST || skipped > 0;
  return upTo(isUntold ? atMost : 0, "too little seen", why);
}

/** Kinds that are told by when a key is admitted again. */
const TOLD_BY_STEPS: readonly LimiterKind[] = [
  "sliding window counter",
  "token bucket refilled in steps",
];

/** Windows of which some were not used up are admitted again whenever somebody asks. */
function mixedUp(kind: LimiterKind, { press }: Drain, limit: RateLimit): readonly Explanation[] {
  const why = "requests came too unevenly to tell what kind of limiter this is";
  return anythingIf(TOLD_BY_STEPS.includes(kind) && isSkipping(press, limit), "host lag", why);
}
