/**
 * Admissions against what a limit can have earned. In any span of time a bucket, a log or a sliding
 * counter admits no more than a burst and the sustained rate times the span; fixed windows, of
 * which two can meet in it, no more than a burst beyond that. A request is decided at some time
 * between its sending and its answer, so that no lag makes a lawful limiter look too generous.
 */

import type { Exchange } from "../../exchange.ts";
import { leastOf } from "../../extremes.ts";
import type { Sample } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import { utc } from "../../timestamps.ts";
import type { Refill } from "./refill.ts";
import { earnsSteadily, moreAtOnce } from "./refill.ts";
import type { KeyTrial, Watch } from "./trial.ts";
import { drawing, plainOf, shotsWith } from "./trial.ts";

/** More admitted between two moments than the limit allows. */
export interface Excess {
  fromMs: number;
  toMs: number;
  admitted: number;
  /** The most that a lawful limiter admits in that time, with what is tolerated. */
  allowed: number;
  /** Bursts that may lie in it: two where fixed windows may have met. */
  bursts: number;
  /** Requests of `allowed` that may have come back before they were due, as refill has steps. */
  early: number;
  /** The last one that is too many. */
  shot: Exchange;
}

/** A span shorter than a window tells of the burst, a longer one of the sustained rate. */
export function burstSeen({ key, limit, excess }: Seen, tolerances: Tolerances): Sample[] {
  if (excess === null || !isShort(excess, limit)) return [];
  const { admitted, bursts, early } = excess;
  const earned = perMs(limit, tolerances) * (excess.toMs - excess.fromMs) + early;
  return [sampleOf(key, limit, excess, (admitted - earned) / bursts)];
}

export function rateSeen({ key, limit, excess }: Seen, tolerances: Tolerances): Sample[] {
  if (excess === null || isShort(excess, limit)) return [];
  const { admitted, bursts, early, fromMs, toMs } = excess;
  const atOnce = bursts * (limit.burst + tolerances.burstExcess) + early;
  return [sampleOf(key, limit, excess, ((admitted - atOnce) / (toMs - fromMs)) * 1_000)];
}

interface Seen {
  key: string;
  limit: RateLimit;
  excess: Excess | null;
}

function isShort({ fromMs, toMs }: Excess, limit: RateLimit): boolean {
  return toMs - fromMs < windowMs(limit);
}

function perMs({ sustained }: RateLimit, { sustainedShare }: Tolerances): number {
  return (sustained * (1 + sustainedShare)) / 1_000;
}

function sampleOf(key: string, { sustained, burst }: RateLimit, seen: Excess, low: number): Sample {
  const { fromMs, toMs, admitted, shot } = seen;
  const [from, to] = [fromMs, toMs].map(utc);
  const seconds = ((toMs - fromMs) / 1_000).toFixed(2);
  const allowed = Math.floor(seen.allowed);
  return {
    low,
    high: Number.POSITIVE_INFINITY,
    what:
      `${key}: ${admitted} requests admitted in ${seconds} s from ${from} on; ` +
      `${sustained}/s and a burst of ${burst} allow ${allowed}`,
    exchanges: [shot],
    shown: { key, admitted, allowed, from: from ?? null, to: to ?? null },
  };
}

/**
 * The reads of a trial that drew on the key's allowance on one endpoint: what others admit beside
 * them is judged by `rate.all-endpoints`.
 */
export function readsOf(trial: KeyTrial): readonly Exchange[] {
  const { volleys: bursts, drain, below, endpoints, returns } = trial;
  const even = drain?.even === undefined ? [] : [drain.even.below, drain.even.above];
  const phases = [
    ...bursts.map(({ shots }) => shots),
    drain?.press ?? [],
    ...even.map(({ shots }) => shots),
    below?.shots ?? [],
    ...endpoints.flatMap(({ exhaustedBy, shots }) => [exhaustedBy, shots]),
    ...returns.flatMap(({ exhaustedBy, probe }) => [exhaustedBy, [probe]]),
  ];
  return once(phases.map(drawing)).flat();
}

/** A burst that exhausted its key stands in two places: as many from the same time on. */
function once(phases: readonly (readonly Exchange[])[]): readonly (readonly Exchange[])[] {
  const beginning = (shots: readonly Exchange[]) => leastOf(shots.map(({ sentAtMs }) => sentAtMs));
  const known = phases.map((shots) => [`${beginning(shots)} ${shots.length}`, shots] as const);
  return [...new Map(known).values()];
}

export function watchedReads({ volleys: bursts, presses: overloads }: Watch): readonly Exchange[] {
  return [...plainOf(bursts), ...overloads.map(({ volley: burst }) => burst)]
    .flatMap(({ shots }) => shots)
    .concat(overloads.flatMap(({ press: overload }) => overload));
}

/** The span with the largest excess; null where every span is within the limit. */
export function largestExcess(
  shots: readonly Exchange[],
  limit: RateLimit,
  tolerances: Tolerances,
  refill: Refill | null = null,
): Excess | null {
  const admitted = shotsWith(shots, "admitted");
  const starts = admitted.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  const ends = [...admitted].sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  const earnedPerMs = perMs(limit, tolerances);
  const bursts = earnsSteadily(shots, limit) ? 1 : 2;
  const early = moreAtOnce(refill);
  const atOnce = bursts * (limit.burst + tolerances.burstExcess) + early;
  let largest: (Excess & { beyond: number }) | null = null;
  let next = 0;
  let best = { beyond: Number.POSITIVE_INFINITY, before: 0, fromMs: 0 };
  for (const [index, shot] of ends.entries()) {
    const toMs = shot.receivedAtMs;
    for (; next < starts.length && (starts[next] ?? toMs) <= toMs; next++) {
      const fromMs = starts[next] ?? toMs;
      // Those sent before may have been decided before: they don't count.
      const beyond = next - earnedPerMs * fromMs;
      if (beyond < best.beyond) best = { beyond, before: next, fromMs };
    }
    const count = index + 1 - best.before;
    const allowed = atOnce + earnedPerMs * (toMs - best.fromMs);
    const beyond = count - allowed;
    if (beyond > 0 && beyond > (largest?.beyond ?? 0)) {
      largest = {
        fromMs: best.fromMs,
        toMs,
        admitted: count,
        allowed,
        bursts,
        early,
        shot,
        beyond,
      };
    }
  }
  return largest;
}
