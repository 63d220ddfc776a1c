/** rate.sustained: over a long press the admitted rate is the plan's. Spec §8. */

import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Interval, LimiterKind } from "./estimate.ts";
import { estimateLimiter } from "./estimate.ts";
import type { Pressed } from "./even.ts";
import { FAR_TOLERANCES, judgeEven } from "./even.ts";
import { sustainedStrength } from "./strength.ts";
import type { Drain } from "./trial.ts";
import { receivedSpanSeconds, shotsWith, spanSeconds, withoutEqualLag } from "./trial.ts";

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
  const doubt = isOutside ? doubtOf(drain, limit, sustained.value, least) : null;
  if (doubt !== null) return inconclusive(promise, `${key}: ${doubt}`, { evidence });
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

/** What may make a rate look like one outside of what is tolerated; null where nothing does. */
function doubtOf(drain: Drain, limit: RateLimit, perSecond: number, least: number): string | null {
  const told = `${perSecond.toFixed(2)}/s`;
  if (isBlurred(drain, limit)) {
    return `answers came too unevenly to tell ${told} from ${limit.sustained}/s`;
  }
  if (pausedShare(drain) > PAUSED_SHARE_MAX) {
    return `admits ${told}, but requests paused for a part of the press`;
  }
  const isRounded = perSecond < least && perSecond >= least - wholeRequestOf(limit);
  return isRounded ? `${told} may be ${limit.sustained}/s, so small is the burst` : null;
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

/** Ours: with smaller bursts kinds of limiters look alike in a press. */
const TOLD_APART_BURST = 10;

/**
 * Of a small burst: what is lost with a request a window, by a counter that weighs whole ones or a
 * window that begins only with the next one.
 */
function wholeRequestOf(limit: RateLimit): number {
  return limit.burst < TOLD_APART_BURST ? 1_000 / windowMs(limit) : 0;
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

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
