/**
 * What `plumbline capacity` finds: the steps of its search, the highest rate that keeps the
 * objectives with an interval, and what gives way first. Plain data: capacity/ fills it in,
 * report/ shows it.
 */

import type { CapacitySubject, TimeQuantiles } from "./capacity-step.ts";
import type { Budget } from "./run-plan.ts";
import type { Variant } from "./states.ts";
import type { TargetHead } from "./target.ts";

/** Raised whenever a field changes its name or meaning. */
export const CAPACITY_SCHEMA_VERSION = 1;

/** What gives way first, seen from outside. */
export const BOTTLENECKS = [
  /** The service answers 429: the plan of the keys. */
  "limiter",
  /** Jobs wait longer and longer for their start, their runs stay as long as they were. */
  "queue",
  /** Runs take longer and longer: those that run share something. */
  "workers",
  /** The answers themselves become slow: the interface in front of everything. */
  "answers",
  /** Requests fail, or jobs end as they should not. */
  "errors",
  /** This machine did not send as it should: nothing is said of the service. */
  "generator",
  /** Jobs take longer, and nothing tells whether they wait or run. */
  "unknown",
] as const;
export type Bottleneck = (typeof BOTTLENECKS)[number];

/** Figures of which an objective can bound a quantile, in ms. */
export const OBJECTIVE_FIGURES = ["latency", "submit", "queue", "run"] as const;
export type ObjectiveFigure = (typeof OBJECTIVE_FIGURES)[number];

/**
 * One condition of `--slo`. `latency` is from submission to the terminal state of a job, or from
 * request to answer; a share bounds failed requests and jobs, 429s apart.
 */
export type CapacityObjective =
  | { kind: "quantile"; figure: ObjectiveFigure; q: number; belowMs: number; text: string }
  | { kind: "errors"; belowShare: number; text: string };

/** Why a step did not keep the objectives: what gave way, in a sentence with its figures. */
export interface Failure {
  bottleneck: Bottleneck;
  text: string;
}

/** How well the generator did in a step. */
export interface StepGenerator {
  /** Requests of the schedule that were not sent. */
  dropped: number;
  /** How late requests were sent, at p99. */
  latenessMs: number;
  /** How late this machine ran its threads, at worst of nineteen seconds in twenty. */
  hostLagMs: number;
  /** Why the step says nothing; null when it does. */
  doubt: string | null;
}

/** Jobs in flight over the measured part of a step. */
export interface StepBacklog {
  start: number;
  end: number;
  /** Jobs a second by which it grew, with its standard error. */
  slopePerSecond: number;
  slopeError: number;
}

/** One second or so of a step, for a plot. */
export interface StepPoint {
  /** Since the step's start. */
  atSeconds: number;
  offeredPerSecond: number;
  completedPerSecond: number;
  /** Jobs in flight; null where that is not looked at. */
  backlog: number | null;
}

/** One run at one rate. Rates are a second, and of the measured part, after the warm-up. */
export interface CapacityStep {
  phase: "search" | "bisect" | "confirm" | "unpaced";
  startedAtMs: number;
  /** Whole length with warm-up, and length of the measured part. */
  seconds: number;
  measuredSeconds: number;
  /** Rate asked for; null where nothing paces. */
  ratePerSecond: number | null;
  /** Connections of an unpaced step. */
  connections: number | null;
  /** Requests or submissions that were sent at all, and that were answered 429. */
  sent: number;
  refused429: number;
  /** Failed requests, and jobs that ended as they should not. */
  errors: number;
  errorShare: number;
  /** Jobs completed, or requests answered well, a second. */
  achievedPerSecond: number | null;
  latencyMs: TimeQuantiles | null;
  /** Of jobs: the answer to the submission, the wait for the start, the run. */
  submitMs: TimeQuantiles | null;
  queueWaitMs: TimeQuantiles | null;
  runMs: TimeQuantiles | null;
  backlog: StepBacklog | null;
  /** Jobs, or requests, in the service at once; the mean. */
  inFlight: number | null;
  generator: StepGenerator;
  outcome: "pass" | "fail" | "withdrawn";
  failures: readonly Failure[];
  /** Why it ended before its time; null when it did not. */
  stopped: string | null;
  points: readonly StepPoint[];
}

export interface CapacityEstimate {
  perSecond: number;
  low: number;
  high: number;
  /** Of the interval from low to high. */
  confidence: number;
  method: string;
}

/**
 * The universal scalability law, X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)). Source:
 * Gunther, "Guerrilla Capacity Planning", 2007.
 */
export interface ScalabilityFit {
  gamma: number;
  sigma: number;
  kappa: number;
  /** N at which X is highest, and that X; null where it never falls. */
  peak: { inFlight: number; perSecond: number } | null;
  /** Largest share by which a point lies off the curve. */
  worstResidual: number;
  points: readonly { inFlight: number; perSecond: number }[];
}

/** Why the search ended without an edge. */
export const CAPACITY_BOUNDS = ["max-rate", "plan", "budget", "time", "generator"] as const;
export type CapacityBound = (typeof CAPACITY_BOUNDS)[number];

/**
 * `found`: the edge lies in the interval. `at-least`: everything tried was kept, up to a bound.
 * `below`: not even the lowest rate was kept. `none`: nothing can be said.
 */
export const CAPACITY_OUTCOMES = ["found", "at-least", "below", "none"] as const;
export type CapacityOutcome = (typeof CAPACITY_OUTCOMES)[number];

export interface CapacityResult {
  schemaVersion: typeof CAPACITY_SCHEMA_VERSION;
  of: CapacitySubject;
  /** By k6 at set rates, or by autocannon as fast as connections go. */
  mode: "paced" | "unpaced";
  outcome: CapacityOutcome;
  /** The answer in a sentence. */
  summary: string;
  exitCode: 0 | 99 | 105 | 111;
  interrupted: boolean;
  seed: number;
  /** ISO 8601. */
  startedAt: string;
  finishedAt: string;
  tool: { plumbline: string; k6: string | null; autocannon: string | null; node: string };
  target: TargetHead & { variant: Variant | null };
  /** Worker whose jobs, or endpoint whose requests, were counted; and the keys, by name. */
  subject: { worker: string | null; endpoint: string | null; keys: readonly string[] };
  objectives: readonly string[];
  limits: {
    maxRatePerSecond: number;
    /** What the keys' plans have room for; null where they are not declared. */
    planRatePerSecond: number | null;
    beyondPlan: boolean;
    timeSeconds: number;
    budget: Budget | null;
  };
  estimate: CapacityEstimate | null;
  bottleneck: Failure | null;
  bound: CapacityBound | null;
  scalability: ScalabilityFit | null;
  /** Why there is no fit; null when there is one. */
  scalabilityMissing: string | null;
  steps: readonly CapacityStep[];
  spent: { jobs: number; credits: number; usd: number };
  notes: readonly string[];
}
