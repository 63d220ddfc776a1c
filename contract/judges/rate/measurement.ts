/** The figures of one key for the report: estimates with intervals, information beside verdicts. */

import type { Range } from "../../judging/claim.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { medianOf, rounded } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import type { RateSeries, RequestSteps } from "../../run/series.ts";
import type { Json } from "../../verdict.ts";
import type { LimiterKind, RateInterval } from "./estimate.ts";
import { burstByOverload } from "./estimate.ts";
import type { MeasuredTrial } from "./measured.ts";
import type { Burst, KeyTrial, ShotOutcome } from "./trial.ts";
import {
  allShots,
  answeredAtMs,
  outcomeOf,
  receivedAtMs,
  shotsWith,
  spanSeconds,
} from "./trial.ts";

export function measurementOf(trial: MeasuredTrial): Json {
  const { key, plan, limit, limiter, drain, volleys: bursts } = trial;
  const told = drain === null || limiter === null ? null : burstByOverload(drain, limiter);
  const burst = estimateBurst(bursts, limit, limiter?.kind, told);
  const shots = allShots(trial);
  return {
    key,
    plan,
    declared: { sustained: limit.sustained, burst: limit.burst },
    sustained: limiter?.sustained ? thousandths(limiter.sustained) : null,
    burst: burst === null ? null : thousandths(burst),
    algorithm: limiter?.kind ?? "unknown",
    requests: shots.length,
    seconds: rounded(spanSeconds(shots), 1),
  };
}

function thousandths({ value, low, high }: RateInterval): Json {
  return { value: rounded(value, 3), low: rounded(low, 3), high: rounded(high, 3) };
}

/** What these let through at once is their count: they earn nothing until a window is over. */
const COUNTING_KINDS: readonly LimiterKind[] = [
  "fixed window or sliding log",
  "fixed window on the clock",
];

/**
 * The limit's burst: what was admitted at once, less what the sustained rate adds meanwhile. Each
 * volley bounds it; where no burst is within all their bounds, it was not always the same. Bursts
 * that were held up are left out; null where all were. `told`: what else tells of it, as far as
 * their bounds allow.
 */
export function estimateBurst(
  burstsSent: readonly Burst[],
  limit: RateLimit,
  kind: LimiterKind = "unknown",
  told: number | null = null,
): RateInterval | null {
  const burstIn = COUNTING_KINDS.includes(kind) ? countOf : burstOf;
  const bursts = burstsSent.flatMap((burst) => burstIn(burst, limit) ?? []);
  if (bursts.length === 0) return null;
  const [lows, highs] = [bursts.map(({ low }) => low), bursts.map(({ high }) => high)];
  const [low, high] = [mostOf(lows), leastOf(highs)];
  const value = Math.round(told ?? (low + high) / 2);
  if (low <= high) return { value: Math.min(high, Math.max(low, value)), low, high };
  const middles = bursts.map((each) => (each.low + each.high) / 2);
  return { value: medianOf(middles), low: leastOf(lows), high: mostOf(highs) };
}

/**
 * Ours: where the sustained rate may have added more than this share of what was admitted, a burst
 * was no "at once", and what is left of it says how long the machine stood still.
 */
const ADDED_SHARE_MAX = 0.5;

/** Null for a burst of which nothing was refused, so that it did not reach its end. */
function countOf({ shots }: Burst): Range | null {
  const count = shotsWith(shots, "admitted").length;
  return shotsWith(shots, "refused").length === 0 ? null : { low: count, high: count };
}

/** Null for a burst that does not tell. A request is decided between its sending and its answer. */
function burstOf({ shots }: Burst, { sustained }: RateLimit): Range | null {
  const admitted = shotsWith(shots, "admitted");
  const added = sustained * spanSeconds(admitted, receivedAtMs);
  if (added > admitted.length * ADDED_SHARE_MAX) return null;
  const shortestMs =
    mostOf(admitted.map(({ sentAtMs }) => sentAtMs)) - leastOf(admitted.map(answeredAtMs));
  const surelyAdded = (sustained * Math.max(0, shortestMs)) / 1_000;
  const low = Math.ceil(admitted.length - added);
  return { low, high: Math.max(low, Math.ceil(admitted.length - surelyAdded)) };
}

/** Ours: finer steps than the points of a plot show nothing more. */
const STEPS_MAX = 200;
/** Ours: sends and answers are told apart no finer. */
const STEP_MS_MIN = 5;
/** Ours: a trial has three to nine of each; more of them say the same again. */
const LISTED_MAX = 24;

export function rateSeries(trial: KeyTrial, tolerances: Tolerances): RateSeries {
  const { key, plan, limit, drain, below, volleys: bursts, returns } = trial;
  return {
    key,
    plan,
    declared: { sustained: limit.sustained, burst: limit.burst },
    tolerated: {
      sustained: limit.sustained * (1 + tolerances.sustainedShare),
      burst: limit.burst + tolerances.burstExcess,
    },
    drain: drain === null ? null : requestSteps([...drain.volley.shots, ...drain.press]),
    below: below === null ? null : requestSteps(below.shots),
    volleys: bursts.slice(0, LISTED_MAX).map(({ shots }) => ({
      sent: shots.length,
      admitted: shotsWith(shots, "admitted").length,
      refused: shotsWith(shots, "refused").length,
      failed: shotsWith(shots, "failed").length,
    })),
    returns: returns.slice(0, LISTED_MAX).map(({ toldMs, waitedMs, probe }) => ({
      toldMs: Math.round(toldMs),
      waitedMs: Math.round(waitedMs),
      admitted: outcomeOf(probe) !== "refused",
    })),
  };
}

function requestSteps(shots: readonly Exchange[]): RequestSteps | null {
  if (shots.length === 0) return null;
  const startMs = leastOf(shots.map(({ sentAtMs }) => sentAtMs));
  const endMs = mostOf(shots.map(({ receivedAtMs }) => receivedAtMs));
  const stepMs = Math.max(STEP_MS_MIN, Math.ceil((endMs - startMs + 1) / STEPS_MAX));
  const length = Math.floor((endMs - startMs) / stepMs) + 1;
  const counted = (times: readonly number[]) => {
    const counts = Array.from({ length }, () => 0);
    for (const atMs of times) {
      const step = Math.min(length - 1, Math.floor((atMs - startMs) / stepMs));
      counts[step] = (counts[step] ?? 0) + 1;
    }
    return counts;
  };
  const answered = (outcome: ShotOutcome) => counted(shotsWith(shots, outcome).map(answeredAtMs));
  return {
    stepMs,
    sent: counted(shots.map(({ sentAtMs }) => sentAtMs)),
    admitted: answered("admitted"),
    refused: answered("refused"),
    failed: answered("failed"),
  };
}
