/**
 * What a run saw over time, as far as a reader of the report looks at it: typed, and bounded in
 * size however long the run was. What speaks against a promise is kept before what does not.
 */

import type { LimitBounds } from "../judges/timeout/bounds.ts";
import type { RateLimit } from "../plans.ts";
import type { LoadObjectives } from "./run-plan.ts";

/** Counts of requests by time, in equal steps; all lists are as long as `sent`. */
export interface RequestSteps {
  stepMs: number;
  /** By when they were sent. */
  sent: readonly number[];
  /** By when they were answered. */
  admitted: readonly number[];
  refused: readonly number[];
  failed: readonly number[];
}

/** How one key's limit was met. Times in ms. */
export interface RateSeries {
  key: string;
  plan: string;
  declared: RateLimit;
  /** Beyond these a limit is broken. */
  tolerated: RateLimit;
  /** A rested burst and the overload after it; null where the key was not overloaded. */
  drain: RequestSteps | null;
  /** Evenly below the plan; null where that was not tried. */
  below: RequestSteps | null;
  /** Each burst on a rested key. */
  volleys: readonly { sent: number; admitted: number; refused: number; failed: number }[];
  /** What a Retry-After told, how long was waited, and whether the key was admitted then. */
  returns: readonly { toldMs: number; waitedMs: number; admitted: boolean }[];
}

/** Deliveries of one job's webhook. Times in ms after the first delivery. */
export interface WebhookJobSeries {
  kind: string;
  jobId: string;
  attempts: readonly {
    atMs: number;
    /** The step of the receiver's script: a status, `500@9000`, `reset` or `silent`. */
    answer: string;
    answeredAtMs: number | null;
  }[];
  watchedUntilMs: number;
}

export interface WebhookSeries {
  /** Share of the stated times in which the service's clock ran; for readers of report.json. */
  timeScale: number;
  /** Promised waits, and what is tolerated. */
  rungs: readonly { waitMs: number; earliestMs: number; latestMs: number }[];
  /** How long an answer may take. */
  answerLimitMs: number;
  /** Promised silence after the last attempt. */
  silenceMs: number;
  jobs: readonly WebhookJobSeries[];
  /** Jobs that are not listed: there were more than a plot can show. */
  omitted: number;
}

/** The transitions of one job. Times in ms after its submission was sent. */
export interface TransitionSeries {
  jobId: string;
  part: string;
  /** Each lies between the first two; the third is what the service states, on the same axis. */
  transitions: readonly {
    state: string;
    earliestMs: number;
    latestMs: number;
    statedMs: number | null;
  }[];
  /** When it was polled for the last time. */
  watchedUntilMs: number;
  /** It moved backward, or to a state that nobody knows, or was not seen to end. */
  isOffender: boolean;
}

/** By how much jobs overshot the limit of their worker; negative is too early. Ms. */
export interface TimeoutSeries extends Omit<LimitBounds, "limitSeconds"> {
  worker: string;
  overshootsMs: readonly number[];
  /** How many jobs timed out; a sample of them is listed. */
  jobs: number;
}

/** A soak in equal steps from its start; all lists are equally long. Null: nothing to tell. */
export interface LoadSeries {
  stepSeconds: number;
  /** When the last submission was due. */
  offerSeconds: number;
  jobsPerSecond: number;
  objectives: Pick<LoadObjectives, "throughputShare" | "submitP99Ms" | "queueWaitP99Ms">;
  /** A second. */
  offered: readonly number[];
  completed: readonly number[];
  errors: readonly number[];
  /** Jobs without an end. */
  backlog: readonly (number | null)[];
  submitP50Ms: readonly (number | null)[];
  submitP99Ms: readonly (number | null)[];
  queueWaitP50Ms: readonly (number | null)[];
  queueWaitP99Ms: readonly (number | null)[];
  /** How late the generator sent what was due, and its timers and this machine's threads were. */
  sendLagP99Ms: readonly (number | null)[];
  loopDelayMaxMs: readonly (number | null)[];
  hostLagMaxMs: readonly (number | null)[];
}

export interface RunSeries {
  rate: readonly RateSeries[];
  webhook: readonly WebhookSeries[];
  transitions: readonly TransitionSeries[];
  timeout: readonly TimeoutSeries[];
  load: readonly LoadSeries[];
}

/** One piece of them, as evidence carries it. */
export type SeriesEntry = {
  [Group in keyof RunSeries]: { group: Group; value: RunSeries[Group][number] };
}[keyof RunSeries];

export const NO_SERIES: RunSeries = {
  rate: [],
  webhook: [],
  transitions: [],
  timeout: [],
  load: [],
};

/** At most so many, in their order: those that stand out first, then the first ones. */
export function keptFew<Value>(
  values: readonly Value[],
  most: number,
  standsOut: (value: Value) => boolean,
): readonly Value[] {
  if (values.length <= most) return values;
  const ranked = [...values.filter(standsOut), ...values.filter((each) => !standsOut(each))];
  const chosen = new Set(ranked.slice(0, most));
  return values.filter((each) => chosen.has(each));
}

/** Of sorted values at most so many, evenly by rank, the least and the greatest among them. */
export function spreadSample(sorted: readonly number[], most: number): readonly number[] {
  if (sorted.length <= most) return sorted;
  const last = sorted.length - 1;
  return Array.from({ length: most }, (_, at) => {
    return sorted[Math.round((at * last) / (most - 1))] ?? 0;
  });
}
