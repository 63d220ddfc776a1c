/**
 * Renewals: moments at which a key that was refused is admitted again, whatever it was asked for,
 * an overload, bursts or steady phases.
 */

import type { Exchange } from "../../exchange.ts";
import { leastOf } from "../../extremes.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Refill } from "./refill.ts";
import { shotsWith } from "./trial.ts";

/** Ours: windows of several machines begin within this share of a window of each other. */
const APART_WINDOWS = 0.1;
/** Ours: a window begins once in this time, that of several machines together. */
const SPAN_WINDOWS = 0.8;
const RENEWALS_MIN = 4;

/**
 * Whether the limiter was seen to earn requests all the time: refused, admitted, refused again,
 * more often in one window's time than a fixed window begins anew.
 */
export function earnsSteadily(shots: readonly Exchange[], limit: RateLimit): boolean {
  const window = windowMs(limit);
  const renewals = renewalsIn(shots, window * APART_WINDOWS);
  return renewals.some(({ fromMs }, at) => {
    const last = renewals[at + RENEWALS_MIN - 1];
    return last !== undefined && last.toMs - fromMs < window * SPAN_WINDOWS;
  });
}

interface Renewal {
  /** Sending of a refused request. */
  fromMs: number;
  /** Answer to an admitted one that was sent after that refusal. */
  toMs: number;
}

/** One after the other, and so far apart. */
function renewalsIn(shots: readonly Exchange[], apartMs: number): readonly Renewal[] {
  const refused = [...shotsWith(shots, "refused")].sort((a, b) => a.sentAtMs - b.sentAtMs);
  const admitted = [...shotsWith(shots, "admitted")].sort((a, b) => a.sentAtMs - b.sentAtMs);
  const found: Renewal[] = [];
  let at = 0;
  for (const { sentAtMs: fromMs, receivedAtMs } of refused) {
    if (fromMs < (found.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY) + apartMs) continue;
    // Times are whole milliseconds: what was sent in that of the answer may have been before it.
    while ((admitted[at]?.sentAtMs ?? Number.POSITIVE_INFINITY) <= receivedAtMs) at += 1;
    const renewed = admitted[at];
    if (renewed === undefined) break;
    found.push({ fromMs, toMs: renewed.receivedAtMs });
  }
  return found;
}

/**
 * The longest steps in which the limiter may refill: each renewal has a step of its own. Null where
 * it was not seen to earn requests all the time.
 */
export function longestSteps(shots: readonly Exchange[], limit: RateLimit): Refill | null {
  if (!earnsSteadily(shots, limit)) return null;
  const renewals = renewalsIn(shots, 0);
  const apartMs = renewals.slice(1).map(({ toMs }, at) => toMs - (renewals[at]?.fromMs ?? toMs));
  const everyMs = leastOf(apartMs);
  return { size: Math.max(1, (limit.sustained * everyMs) / 1_000), everyMs };
}
