/**
 * Requests of an overload that were not sent in time, by the generator's or the path's doing: what
 * a limiter had to give meanwhile, a bucket keeps and others give away.
 */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { gapsOf, medianOf } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import type { Passage } from "./ascending.ts";
import { timesOf } from "./ascending.ts";
import type { Drain } from "./trial.ts";
import { spanSeconds } from "./trial.ts";

/** Share of the overload in gaps between requests that are longer than that, and than the usual. */
export function gapShare(overload: readonly Exchange[], ofUsual: number, longerThanMs = 0): number {
  const gaps = gapsOf(timesOf(overload, "sentAtMs"));
  const leastMs = Math.max(longerThanMs, medianOf(gaps) * ofUsual);
  const pausedMs = gaps.filter((gap) => gap > leastMs).reduce((a, b) => a + b, 0);
  return pausedMs / Math.max(1, spanSeconds(overload) * 1_000);
}

/** Ours: so much of an overload may pass in gaps in which a key earns a request. */
const SKIPPED_SHARE_MAX = 0.1;
/** Ours: overloads are jittered; a gap of more than twice the usual one is none of that. */
const SKIP_GAPS = 2;

/** Whether so many are missing that steps in which allowance comes back can't be seen. */
export function isSkipping(overload: readonly Exchange[], { sustained }: RateLimit): boolean {
  return gapShare(overload, SKIP_GAPS, 1_000 / sustained) > SKIPPED_SHARE_MAX;
}

/** Ours: in so much of a window a bucket may come near its brim, and loses what it then earns. */
export const IDLE_WINDOWS_MAX = 0.5;

/** Whether the generator paused between the burst and the overload, which then begins with one. */
export function isRested({ volley: burst, press: overload }: Drain, limit: RateLimit): boolean {
  const burstEnd = mostOf(burst.shots.map(({ receivedAtMs }) => receivedAtMs));
  const overloadStart = leastOf(overload.map(({ sentAtMs }) => sentAtMs));
  return overloadStart - burstEnd > IDLE_WINDOWS_MAX * windowMs(limit);
}

/** The longest time in which none of them was sent, or none was answered. */
export function longestGapMs(shots: readonly Exchange[], by: keyof Passage): number {
  return mostOf(gapsOf(timesOf(shots, by)));
}

/**
 * Requests earned in the longest time in which none was sent, or none was answered: nobody but a
 * bucket gives them later. 0 if less than one, or with so large a burst that one request a window
 * is less than what is tolerated.
 */
export function skippedIn(
  overload: readonly Exchange[],
  { sustained, burst }: RateLimit,
  { sustainedShare }: Tolerances,
): number {
  const longestMs = Math.max(
    longestGapMs(overload, "sentAtMs"),
    longestGapMs(overload, "receivedAtMs"),
  );
  const earned = (longestMs / 1_000) * sustained;
  return burst * sustainedShare <= 1 && earned > 1 ? earned : 0;
}
