/** rate.sustained and rate.burst: the plan's two figures against what was admitted. Spec §8. */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Interval, LimiterKind } from "./estimate.ts";
import { estimateLimiter } from "./estimate.ts";
import type { Pressed } from "./even.ts";
import { FAR_TOLERANCES, judgeEven } from "./even.ts";
import { burstStrength, sustainedStrength } from "./strength.ts";
import type { Drain, KeyTrial, Volley, Watch } from "./trial.ts";
import { answeredAtMs, shotsWith, spanSeconds, withoutEqualLag } from "./trial.ts";

/** Ours: a press in which less than this share was refused did not saturate the key. */
const REFUSED_SHARE_MIN = 0.2;

/** By the press; where that leaves it in doubt, by what was sent evenly around the plan. */
export function judgeSustained(trial: Pressed, tolerances: Tolerances): Finding {
  const pressed = judgePress(trial, tolerances);
  return (pressed.verdict === "inconclusive" ? judgeEven(trial, tolerances) : null) ?? pressed;
}

function judgePress(trial: Pressed, tolerances: Tolerances): Finding {
  const promise = "rate.sustained";
  const { drain, limit, key } = trial;
  if (drain === null) return unobserved(promise, `${key} was not pressed`);
  const refused = shotsWith(drain.press, "refused").length;
  if (refused < drain.press.length * REFUSED_SHARE_MIN) return unsaturated(trial, refused);
  const { sustained, starved, kind } = estimateLimiter(drain, limit);
  const paused = pausedShare(drain) > PAUSED_SHARE_MAX;
  if (sustained === null && paused) {
    const reason = `${key}: requests paused for a part of the press, too few were admitted to tell`;
    return inconclusive(promise, reason);
  }
  if (starved) {
    return inconclusive(
      promise,
      `${key}: refused requests seem to be counted, so that pressing starves the key; ` +
        "its sustained rate can't be seen from above",
    );
  }
  if (sustained === null) {
    return inconclusive(promise, `${key}: admits too few requests, or too unevenly, to tell`);
  }
  const value = `${sustained.value.toFixed(2)}/s`;
  const evidence = {
    [key]: {
      promisedPerSecond: limit.sustained,
      measuredPerSecond: round(sustained.value),
      low: round(sustained.low),
      high: round(sustained.high),
      kind,
    },
  };
  const least = limit.sustained * (1 - tolerances.sustainedShare) - roundingOf(kind, limit);
  const most = limit.sustained * (1 + tolerances.sustainedShare);
  const isOutside = sustained.value > most || sustained.value < least;
  if (isOutside && isBlurred(drain, limit)) {
    const reason = `${key}: answers came too unevenly to tell ${value} from ${limit.sustained}/s`;
    return inconclusive(promise, reason, { evidence });
  }
  if (isOutside && paused) {
    const reason = `${key}: admits ${value}, but requests paused for a part of the press`;
    return inconclusive(promise, reason, { evidence });
  }
  if (sustained.low > most || sustained.high < least) {
    return broken(promise, `${key}: admits ${value}, promised ${limit.sustained}/s`, {
      evidence,
      exchanges: drain.press.slice(-2),
    });
  }
  if (isOutside) {
    return inconclusive(promise, `${key}: ${value} is too near the tolerance to tell`, {
      evidence,
    });
  }
  const { volley, press } = drain;
  const count = volley.shots.length;
  const shots = withoutEqualLag([...volley.shots, ...press]);
  const without = {
    volley: { ...volley, shots: shots.slice(0, count) },
    press: shots.slice(count),
  };
  const evened = estimateLimiter(without, limit).sustained ?? sustained;
  if (reachesFar(evened, limit, tolerances.sustainedShare)) {
    const reason = `${key}: answers came too unevenly to tell how near ${value} is`;
    return inconclusive(promise, reason, { evidence });
  }
  const strength = sustainedStrength({ key, limit }, sustained, tolerances.sustainedShare);
  return kept(promise, `${key}: admits ${value} of ${limit.sustained}/s`, { evidence, strength });
}

/** Whether the rate may as well be one that is plainly wrong. No upper bound: nothing is known. */
function reachesFar({ low, high }: Interval, { sustained }: RateLimit, share: number): boolean {
  const far = sustained * share * FAR_TOLERANCES;
  return low < sustained - far || (Number.isFinite(high) && high > sustained + far);
}

/** Ours: where the times of answers differ by more of a window, kinds of limiters look alike. */
const BLUR_WINDOWS = 0.1;
const BLUR_PERCENTILES = [0.05, 0.95] as const;

function isBlurred({ press }: Drain, limit: RateLimit): boolean {
  const took = press.map((shot) => shot.receivedAtMs - shot.sentAtMs).sort((a, b) => a - b);
  const [low, high] = BLUR_PERCENTILES.map((share) => took[Math.floor(took.length * share)] ?? 0);
  return (high ?? 0) - (low ?? 0) > windowMs(limit) * BLUR_WINDOWS;
}

/** Ours: what would have been admitted meanwhile is missing, or comes in one piece after it. */
const PAUSED_SHARE_MAX = 0.02;
/** Ours: presses are jittered; so many times the usual gap is a pause. */
const PAUSE_GAPS = 5;

/** Share of the press in which nothing was sent, by the generator's or the path's doing. */
function pausedShare({ press }: Drain): number {
  const sent = press.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  const gaps = sent.slice(1).map((time, index) => time - (sent[index] ?? time));
  const usualMs = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const pausedMs = gaps.filter((gap) => gap > usualMs * PAUSE_GAPS).reduce((a, b) => a + b, 0);
  return pausedMs / Math.max(1, spanSeconds(press) * 1_000);
}

/**
 * A sliding window counter weighs the last window in whole requests: up to one a window is lost.
 */
function roundingOf(kind: LimiterKind, limit: RateLimit): number {
  return kind === "sliding window counter" ? 1_000 / windowMs(limit) : 0;
}

/** Nothing or little was refused: either there is no limit to speak of, or the press was weak. */
function unsaturated(trial: Pressed, refused: number): Finding {
  const promise = "rate.sustained";
  const { drain, limit, key } = trial;
  const press = drain?.press ?? [];
  const shots = [...(drain?.volley.shots ?? []), ...press];
  const rate = shotsWith(press, "admitted").length / Math.max(spanSeconds(press), 0.001);
  const admitted = shotsWith(shots, "admitted").length;
  // Twice the burst: what a full bucket holds, or a window that ends and one that begins.
  const lawful = 2 * limit.burst + limit.sustained * 1.2 * receivedSpanSeconds(shots);
  if (refused > 0 && admitted > lawful) {
    return broken(promise, `${key}: admits ${rate.toFixed(1)}/s, promised ${limit.sustained}/s`, {
      evidence: { [key]: { measuredPerSecond: round(rate), refused } },
      exchanges: shotsWith(press, "admitted").slice(-2),
    });
  }
  return inconclusive(
    promise,
    refused === 0
      ? `${key}: nothing was refused under pressure (see rate.limited)`
      : `${key}: the press reached ${rate.toFixed(1)}/s, too little to saturate the key`,
  );
}

function receivedSpanSeconds(shots: readonly Exchange[]): number {
  const first = Math.min(...shots.map((shot) => shot.sentAtMs));
  return (Math.max(...shots.map(receivedAtMs)) - first) / 1_000;
}

/** Ours: volleys on a rested key that must agree before a burst counts as too large. */
const VOLLEYS_MIN = 3;
/** Ours: a volley of which more failed says nothing of a burst. */
const FAILED_SHARE_MAX = 0.25;

export function judgeBurst(trial: KeyTrial, tolerances: Tolerances): Finding {
  const promise = "rate.burst";
  const { key, limit, volleys } = trial;
  const counts = volleys.map((volley) => shotsWith(volley.shots, "admitted").length);
  const evidence = { [key]: { promised: limit.burst, admitted: counts } };
  const short = volleys.find((volley) => isShort(volley, limit.burst - tolerances.burstMissing));
  if (short !== undefined) {
    const slow = slowRefill(trial, short, tolerances);
    if (slow !== null) return inconclusive(promise, `${key}: ${slow}`, { evidence });
    return broken(
      promise,
      `${key}: a rested key got ${shotsWith(short.shots, "admitted").length} requests through ` +
        `at once, promised ${limit.burst}`,
      { evidence, exchanges: shotsWith(short.shots, "refused") },
    );
  }
  const doubt = burstDoubt(trial);
  if (doubt !== null) return inconclusive(promise, `${key}: ${doubt}`, { evidence });
  const through = `${key}: rested volleys got ${counts.join(", ")} of ${limit.burst} through`;
  const isExcess = (at: MomentOf) => (volley: Volley) => isExcessive(volley, limit, tolerances, at);
  if (volleys.every(isExcess(receivedAtMs))) {
    return broken(promise, through, { evidence, exchanges: lastAdmitted(volleys[0]) });
  }
  if (volleys.every(isExcess(answeredAtMs))) {
    const reason = "the generator was too slow to tell what the sustained rate added meanwhile";
    return inconclusive(promise, `${through}, and ${reason}`, { evidence });
  }
  return kept(promise, through, { evidence, strength: burstStrength(trial, counts, tolerances) });
}

/** Ours: with it, one key in ten thousand of a lawful service would be called broken. */
const EDGE_CHANCE_MAX = 1e-4;

/**
 * Bursts after rests so long that any lawful limiter forgets: none is short, and none but those at
 * the edge of a fixed window, which no rest hits again and again, is too long. Null without one.
 */
export function judgeLongRests(
  { key, limit, volleys }: Watch,
  tolerances: Tolerances,
): Finding | null {
  const promise = "rate.burst";
  if (volleys.length === 0) return null;
  const counts = volleys.map(({ shots }) => shotsWith(shots, "admitted").length);
  const restsMs = volleys.map(({ restedMs }) => Math.round(restedMs));
  const evidence = {
    [`${key} after long rests`]: { promised: limit.burst, admitted: counts, restsMs },
  };
  const short = volleys.find((volley) => isShort(volley, limit.burst - tolerances.burstMissing));
  const excesses = volleys.filter((volley) => isExcessive(volley, limit, tolerances));
  const edge = excesses.map(({ shots }) => (spanSeconds(shots) * 1_000) / windowMs(limit));
  const chance = edge.reduce((product, share) => product * Math.min(1, share), 1);
  const wrong = short ?? (chance <= EDGE_CHANCE_MAX ? excesses[0] : undefined);
  const through =
    `${key}: after rests of ${(Math.min(...restsMs) / 1_000).toFixed(0)} s and more bursts got ` +
    `${counts.join(", ")} of ${limit.burst} through`;
  if (wrong === undefined) {
    return kept(promise, through, { evidence, strength: looksAt(volleys.length, "bursts") });
  }
  const exchanges = short ? shotsWith(short.shots, "refused") : lastAdmitted(wrong);
  return broken(promise, through, { evidence, exchanges });
}

/**
 * Why volleys may fall short although the burst is whole: one before them got all of it, more than
 * a smaller burst explains. Spec §8 doesn't say how long a spent burst takes to come back. Null
 * where it was not so, or where some volley got too much.
 */
function slowRefill({ volleys, limit }: KeyTrial, short: Volley, tolerances: Tolerances) {
  const isExcess = (volley: Volley) => isExcessive(volley, limit, tolerances);
  const least = limit.burst - tolerances.burstMissing;
  const before = volleys.slice(0, volleys.indexOf(short));
  const full = before.find(({ shots }) => shotsWith(shots, "admitted").length >= least);
  if (full === undefined || volleys.some(isExcess)) return null;
  const through = shotsWith(full.shots, "admitted");
  const got = through.length;
  const shorts = volleys.filter((volley) => isShort(volley, least));
  const fewest = Math.min(...shorts.map(possiblyAdmitted));
  if (got - limit.sustained * receivedSpanSeconds(through) <= fewest) return null;
  return (
    `a rested volley got ${got} requests through, a later one ${fewest} of ${limit.burst}: ` +
    `after a rest of ${(short.restedMs / 1_000).toFixed(1)} s a spent burst was not back yet, ` +
    "or another caller used the key"
  );
}

/** Why too large a burst could not be told from a right one; null when it could. */
function burstDoubt(trial: KeyTrial): string | null {
  const { volleys } = trial;
  if (volleys.length < VOLLEYS_MIN) return `${volleys.length} rested volleys, needs ${VOLLEYS_MIN}`;
  const refused = volleys.some((volley) => shotsWith(volley.shots, "refused").length > 0);
  if (!refused && neverRefuses(trial)) return "nothing was ever refused (see rate.limited)";
  const failing = volleys.some(
    ({ shots }) => shotsWith(shots, "failed").length > shots.length * FAILED_SHARE_MAX,
  );
  return failing ? "too many requests of the volleys failed" : null;
}

function neverRefuses({ drain }: KeyTrial): boolean {
  return drain !== null && shotsWith(drain.press, "refused").length === 0;
}

/** Too few admitted, even if every failed request had been admitted. */
function isShort(volley: Volley, least: number): boolean {
  return volley.shots.length >= least && possiblyAdmitted(volley) < least;
}

function possiblyAdmitted({ shots }: Volley): number {
  return shots.length - shotsWith(shots, "refused").length;
}

type MomentOf = (exchange: Exchange) => number;

/** Never before the answer was there: what exceeds the bound by this clock does exceed it. */
function receivedAtMs(exchange: Exchange): number {
  return exchange.receivedAtMs;
}

/** More than a burst and what was earned until the last of them was answered. */
export function isExcessive(
  volley: Volley,
  limit: RateLimit,
  { burstExcess }: Tolerances,
  momentOf: MomentOf = receivedAtMs,
): boolean {
  const admitted = shotsWith(volley.shots, "admitted");
  const first = Math.min(...admitted.map((shot) => shot.sentAtMs));
  const seconds = (Math.max(...admitted.map(momentOf)) - first) / 1_000;
  return admitted.length > limit.burst + burstExcess + limit.sustained * seconds;
}

function lastAdmitted(volley: Volley | undefined): readonly Volley["shots"][number][] {
  return shotsWith(volley?.shots ?? [], "admitted").slice(-1);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
