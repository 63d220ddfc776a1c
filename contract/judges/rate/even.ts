/**
 * The sustained rate by two even stretches after the burst was spent: just within the tolerance
 * next to nothing is refused, just beyond it something is. That holds for limiters of any kind,
 * also where refused requests use up allowance and pressing starves the key.
 */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, kept } from "../../verdict.ts";
import { sustainedStrength } from "./strength.ts";
import type { Drain, KeyTrial, Stretch } from "./trial.ts";
import {
  sentPerSecond,
  shotsWith,
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
/** Ours: a sliding window counter has a whole request less to give; half a one is for its edge. */
const SPARE_REQUESTS = 1.5;
/** Ours: at half of its rate a limiter that counts windows has forgotten the request before. */
const BELOW_MIN = 0.5;

/** Requests per second of the two stretches. */
export function evenRates({ sustained, burst }: RateLimit, { sustainedShare }: Tolerances) {
  return {
    below: sustained * Math.max(BELOW_MIN, 1 - Math.max(sustainedShare, SPARE_REQUESTS / burst)),
    above: sustained * (1 + sustainedShare * ABOVE_TOLERANCES),
  };
}

export type Pressed = Pick<KeyTrial, "key" | "limit" | "drain"> & Partial<Pick<KeyTrial, "below">>;

/** null where the stretches tell nothing. */
export function judgeEven(trial: Pressed, { sustainedShare }: Tolerances): Finding | null {
  const { key, limit, drain, below: gentle = null } = trial;
  const short = [drain?.even?.below ?? null, gentle].flatMap(
    (each) => tooLittle(each, trial) ?? [],
  );
  if (short[0] !== undefined) return short[0];
  if (drain?.even === undefined) return null;
  const [below, above] = [steady(drain.even.below), steady(drain.even.above)];
  const low = below.perSecond * (1 - below.refusedShare) - below.savedPerSecond;
  const high = above.perSecond;
  const evidence = {
    [key]: { promisedPerSecond: limit.sustained, low: round(low), high: round(high) },
  };
  const promised = `promised ${limit.sustained}/s`;
  if (unlawfullyRefused(drain.even.below, limit).length > 0) return null;
  if (isTooMuch(drain, drain.even.above, limit, sustainedShare)) {
    const told = `${key}: refuses next to nothing of an even ${high.toFixed(2)}/s`;
    const exchanges = shotsWith(steadyShots(drain.even.above), "admitted").slice(-2);
    return broken("rate.sustained", `${told}, ${promised}`, { evidence, exchanges });
  }
  const far = sustainedShare * FAR_TOLERANCES;
  // What was refused was refused lawfully: for the requests that such a limiter may keep back.
  const least = limit.sustained * (1 - far) - (SPARE_REQUESTS * 1_000) / windowMs(limit);
  const isNear = low >= least && high <= limit.sustained * (1 + far);
  if (!isNear || above.refusedShare < REFUSED_SHARE_MIN) return null;
  const told = `${key}: admits ${low.toFixed(2)}/s and more, but not ${high.toFixed(2)}/s`;
  const strength = sustainedStrength(trial, { low, high }, sustainedShare);
  return kept("rate.sustained", `${told}, of ${limit.sustained}/s`, { evidence, strength });
}

/** Broken where a key that asks for less than its plan is refused a part of it; else null. */
function tooLittle(stretch: Stretch | null, { key, limit }: Pressed): Finding | null {
  if (stretch === null) return null;
  const exchanges = unlawfullyRefused(stretch, limit).slice(-2);
  const { perSecond, refusedShare } = steady(stretch);
  if (exchanges.length === 0 || refusedShare < REFUSED_SHARE_MIN) return null;
  const low = perSecond * (1 - refusedShare);
  const told =
    `${key}: admits ${low.toFixed(2)} of an even ${perSecond.toFixed(2)}/s, ` +
    `promised ${limit.sustained}/s`;
  const evidence = { [key]: { promisedPerSecond: limit.sustained, low: round(low) } };
  return broken("rate.sustained", told, { evidence, exchanges });
}

interface Steady {
  perSecond: number;
  refusedShare: number;
  /** What the key may have had saved up, spread over the stretch. */
  savedPerSecond: number;
}

function steady(stretch: Stretch): Steady {
  const shots = steadyShots(stretch);
  const refused = shotsWith(shots, "refused").length;
  const perSecond = sentPerSecond(shots);
  return {
    perSecond,
    refusedShare: refused / Math.max(1, shots.length),
    savedPerSecond: ((stretch.savedUp ?? 0) * perSecond) / Math.max(1, shots.length),
  };
}

/**
 * More than the tolerance allows, with what windows let in at their edges. Of a key whose burst may
 * be longer than what was spent nobody can tell.
 */
function isTooMuch(drain: Drain, above: Stretch, limit: RateLimit, share: number): boolean {
  const got = shotsWith(drain.volley.shots, "admitted").length;
  if (shotsWith(drain.volley.shots, "refused").length === 0) return false;
  const shots = steadyShots({ ...above, shots: withoutEqualLag(above.shots) });
  const fromMs = Math.min(...shots.map(({ sentAtMs }) => sentAtMs));
  const toMs = Math.max(...shots.map(({ receivedAtMs }) => receivedAtMs));
  const most = limit.sustained * (1 + share);
  const seconds = windowMs(limit) / 1_000;
  const pace = Math.max(above.offeredPerSecond, peakPerSecond(shots, windowMs(limit)));
  const atEdges = Math.max(0, pace - most) * 2 * seconds + 1;
  const longer = Math.max(0, got - limit.burst);
  const lawful = (most * (toMs - fromMs)) / 1_000 + atEdges + longer;
  return shotsWith(shots, "admitted").length > lawful;
}

/** As many as may have come within a window of the limiter, by the window's length. */
function peakPerSecond(shots: readonly Exchange[], window: number): number {
  const sent = [...shots].sort((a, b) => a.sentAtMs - b.sentAtMs);
  let [first, most] = [0, 0];
  for (const [at, { sentAtMs }] of sent.entries()) {
    while ((sent[first]?.receivedAtMs ?? sentAtMs) < sentAtMs - window) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return (most / window) * 1_000;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
