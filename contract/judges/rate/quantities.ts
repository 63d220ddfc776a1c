/** rate.sustained and rate.burst: the plan's two figures against what was admitted. Spec §8. */

import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { LimiterKind } from "./estimate.ts";
import { estimateLimiter } from "./estimate.ts";
import type { KeyTrial, Volley } from "./trial.ts";
import { answeredAtMs, shotsWith, spanSeconds } from "./trial.ts";

/** Ours: a press in which less than this share was refused did not saturate the key. */
const REFUSED_SHARE_MIN = 0.2;

export function judgeSustained(trial: KeyTrial, tolerances: Tolerances): Finding {
  const promise = "rate.sustained";
  const { drain, limit, key } = trial;
  if (drain === null) return unobserved(promise, `${key} was not pressed`);
  const refused = shotsWith(drain.press, "refused").length;
  if (refused < drain.press.length * REFUSED_SHARE_MIN) return unsaturated(trial, refused);
  const { sustained, starved, kind } = estimateLimiter(drain, limit);
  if (starved) {
    return inconclusive(
      promise,
      `${key}: refused requests seem to be counted, so that pressing starves the key; ` +
        "its sustained rate can't be seen from above",
    );
  }
  if (sustained === null) return inconclusive(promise, `${key}: too few requests admitted to tell`);
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
  if (sustained.low > most || sustained.high < least) {
    return broken(promise, `${key}: admits ${value}, promised ${limit.sustained}/s`, {
      evidence,
      exchanges: drain.press.slice(-2),
    });
  }
  if (sustained.value > most || sustained.value < least) {
    return inconclusive(promise, `${key}: ${value} is too near the tolerance to tell`, {
      evidence,
    });
  }
  return kept(promise, `${key}: admits ${value} of ${limit.sustained}/s`, { evidence });
}

/** A sliding window counter weighs the last window in whole requests: up to one a window is lost. */
function roundingOf(kind: LimiterKind, limit: RateLimit): number {
  return kind === "sliding window counter" ? 1_000 / windowMs(limit) : 0;
}

/** Nothing or little was refused: either there is no limit to speak of, or the press was weak. */
function unsaturated(trial: KeyTrial, refused: number): Finding {
  const promise = "rate.sustained";
  const { drain, limit, key } = trial;
  const press = drain?.press ?? [];
  const rate = shotsWith(press, "admitted").length / Math.max(spanSeconds(press), 0.001);
  if (refused > 0 && rate > limit.sustained * 1.2) {
    return broken(promise, `${key}: admits ${rate.toFixed(1)}/s, promised ${limit.sustained}/s`, {
      evidence: { [key]: { measuredPerSecond: round(rate), refused } },
    });
  }
  return inconclusive(
    promise,
    refused === 0
      ? `${key}: nothing was refused under pressure (see rate.limited)`
      : `${key}: the press reached ${rate.toFixed(1)}/s, too little to saturate the key`,
  );
}

/** Ours: volleys on a rested key that must agree before a burst counts as too large. */
const VOLLEYS_MIN = 3;

export function judgeBurst(trial: KeyTrial, tolerances: Tolerances): Finding {
  const promise = "rate.burst";
  const { key, limit } = trial;
  const volleys = trial.volleys;
  const counts = volleys.map((volley) => shotsWith(volley.shots, "admitted").length);
  const evidence = { [key]: { promised: limit.burst, admitted: counts } };
  const short = volleys.filter((volley) => isShort(volley, limit.burst - tolerances.burstMissing));
  if (short.length > 0) {
    const admitted = shotsWith(short[0]?.shots ?? [], "admitted").length;
    return broken(
      promise,
      `${key}: a rested key got ${admitted} requests through at once, promised ${limit.burst}`,
      { evidence, exchanges: shotsWith(short[0]?.shots ?? [], "refused") },
    );
  }
  if (volleys.length < VOLLEYS_MIN) {
    return inconclusive(promise, `${key}: ${volleys.length} rested volleys, needs ${VOLLEYS_MIN}`, {
      evidence,
    });
  }
  if (
    !volleys.some((volley) => shotsWith(volley.shots, "refused").length > 0) &&
    neverRefuses(trial)
  ) {
    return inconclusive(promise, `${key}: nothing was ever refused (see rate.limited)`, {
      evidence,
    });
  }
  const excess = volleys.filter((volley) => isExcessive(volley, trial, tolerances.burstExcess));
  if (excess.length === volleys.length) {
    return broken(
      promise,
      `${key}: rested volleys got ${counts.join(", ")} requests through, promised ${limit.burst}`,
      { evidence, exchanges: lastAdmitted(excess[0]) },
    );
  }
  if (
    volleys.some((volley) => shotsWith(volley.shots, "failed").length > volley.shots.length / 4)
  ) {
    return inconclusive(promise, `${key}: too many requests of the volleys failed`, { evidence });
  }
  return kept(
    promise,
    `${key}: rested volleys got ${counts.join(", ")} of ${limit.burst} through`,
    {
      evidence,
    },
  );
}

function neverRefuses({ drain }: KeyTrial): boolean {
  return drain !== null && shotsWith(drain.press, "refused").length === 0;
}

/** Too few admitted, even if every failed request had been admitted. */
function isShort(volley: Volley, least: number): boolean {
  const possible = volley.shots.length - shotsWith(volley.shots, "refused").length;
  return volley.shots.length >= least && possible < least;
}

function isExcessive(volley: Volley, trial: KeyTrial, tolerated: number): boolean {
  const admitted = [...shotsWith(volley.shots, "admitted")].sort(
    (a, b) => answeredAtMs(a) - answeredAtMs(b),
  );
  const { burst, sustained } = trial.limit;
  return admitted.length > burst + tolerated + sustained * spanSeconds(admitted);
}

function lastAdmitted(volley: Volley | undefined): readonly Volley["shots"][number][] {
  return shotsWith(volley?.shots ?? [], "admitted").slice(-1);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
