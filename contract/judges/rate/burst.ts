/** rate.burst: a rested key gets its burst through at once, and not more. Spec §8. */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept } from "../../verdict.ts";
import { burstStrength } from "./strength.ts";
import type { KeyTrial, Volley, Watch } from "./trial.ts";
import { answeredAtMs, receivedSpanSeconds, shotsWith, spanSeconds } from "./trial.ts";

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
