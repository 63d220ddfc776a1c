/**
 * Admissions against what a limit can have earned. In any span of time a bucket, a log or a sliding
 * counter admits no more than a burst and the sustained rate times the span; fixed windows, of
 * which two can meet in it, no more than a burst beyond that. A request is decided at some time
 * between its sending and its answer, so that no lag makes a lawful limiter look too generous.
 */

import type { Sample } from "../../judging/claim.ts";
import { leastOf } from "../../numbers/extremes.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import { utc } from "../../time/timestamps.ts";
import { inTurn } from "./ascending.ts";
import { largestRise } from "./line.ts";
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
  /** The last one that is too many. */
  shot: Exchange;
}

interface Seen {
  key: string;
  limit: RateLimit;
  excess: Excess | null;
}

/** A span shorter than a window tells of the burst, a longer one of the sustained rate. */
export function excessIn(
  of: "burst" | "rate",
  { key, limit, excess }: Seen,
  tolerances: Tolerances,
): Sample[] {
  if (excess === null) return [];
  const { fromMs, toMs, admitted, bursts, shot } = excess;
  const isShort = toMs - fromMs < windowMs(limit);
  if (isShort !== (of === "burst")) return [];
  const beyond = admitted - excess.allowed;
  const low = isShort
    ? limit.burst + tolerances.burstExcess + beyond / bursts
    : (perMs(limit, tolerances) + beyond / (toMs - fromMs)) * 1_000;
  const [from = null, to = null] = [fromMs, toMs].map(utc);
  const seconds = ((toMs - fromMs) / 1_000).toFixed(2);
  const allowed = Math.floor(excess.allowed);
  const what =
    `${key}: ${admitted} requests admitted in ${seconds} s from ${from} on; ` +
    `${limit.sustained}/s and a burst of ${limit.burst} allow ${allowed}`;
  const shown = { key, admitted, allowed, from, to };
  return [{ low, high: Number.POSITIVE_INFINITY, what, exchanges: [shot], shown }];
}

function perMs({ sustained }: RateLimit, { sustainedShare }: Tolerances): number {
  return (sustained * (1 + sustainedShare)) / 1_000;
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
  refill: Refill | null,
): Excess | null {
  const admitted = shotsWith(shots, "admitted");
  // Those sent before may have been decided before: they don't count.
  const starts = inTurn(admitted, "sentAtMs").map(({ sentAtMs }, y) => ({ x: sentAtMs, y }));
  const ends = inTurn(admitted, "receivedAtMs").map((shot, before) => {
    return { x: shot.receivedAtMs, y: before + 1, shot };
  });
  const earnedPerMs = perMs(limit, tolerances);
  const bursts = earnsSteadily(shots, limit) ? 1 : 2;
  const atOnce = bursts * (limit.burst + tolerances.burstExcess) + moreAtOnce(refill);
  const largest = largestRise(starts, ends, earnedPerMs);
  if (largest === null || largest.beyond <= atOnce) return null;
  const { from, to } = largest;
  const allowed = atOnce + earnedPerMs * (to.x - from.x);
  const { shot } = to;
  return { fromMs: from.x, toMs: to.x, admitted: to.y - from.y, allowed, bursts, shot };
}
