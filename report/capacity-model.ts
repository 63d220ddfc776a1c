/**
 * The shape of capacity.json, from which its types and its JSON Schema are made: the steps of a
 * search, the highest rate that keeps the objectives with an interval, and what gives way first.
 * capacity/ fills it in.
 */

import { z } from "zod";

import { CAPACITY_SUBJECTS } from "../contract/run/capacity-step.ts";
import { amountsSchema, targetSchema } from "./model.ts";

/** Raised whenever a field changes its name or meaning. */
export const CAPACITY_SCHEMA_VERSION = 1;

/** What gives way first, seen from outside. */
const BOTTLENECKS = [
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

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const times = z
  .strictObject({ count, p50: amount, p90: amount, p95: amount, p99: amount, max: amount })
  .meta({ id: "times" });

/** Why a step did not keep the objectives: what gave way, in a sentence with its figures. */
const failure = z
  .strictObject({ bottleneck: z.enum(BOTTLENECKS), text: z.string() })
  .meta({ id: "failure" });

/** One run at one rate. Rates are a second, and of the measured part, after the warm-up. */
const step = z.strictObject({
  phase: z.enum(["search", "bisect", "confirm", "unpaced"]),
  startedAtMs: z.number(),
  /** Whole length with warm-up, and length of the measured part. */
  seconds: amount,
  measuredSeconds: amount,
  /** Rate asked for; null where nothing paces, but so many connections. */
  ratePerSecond: amount.nullable(),
  connections: count.nullable(),
  sent: count,
  refused429: count,
  /** Failed requests, and jobs that ended as they should not. */
  errors: count,
  errorShare: amount,
  achievedPerSecond: amount.nullable().describe("Jobs completed or requests answered a second."),
  latencyMs: times.nullable(),
  /** Of jobs: the answer to the submission, the wait for the start, the run. */
  submitMs: times.nullable(),
  queueWaitMs: times.nullable(),
  runMs: times.nullable(),
  /** Jobs in flight over the measured part, and how fast they grew, with its standard error. */
  backlog: z
    .strictObject({
      start: amount,
      end: amount,
      slopePerSecond: z.number(),
      slopeError: amount,
    })
    .nullable(),
  /** Jobs, or requests, in the service at once; the mean. */
  inFlight: amount.nullable(),
  generator: z.strictObject({
    /** Requests of the schedule that were not sent. */
    dropped: count,
    /** How late requests were sent, at p99. */
    latenessMs: amount,
    /** How late this machine ran its threads, at worst of nineteen seconds in twenty. */
    hostLagMs: amount,
    /** Why the step says nothing; null when it does. */
    doubt: z.string().nullable(),
    /** Which doubt it is, where a longer step may settle it. */
    doubtKind: z.enum(["standstill", "unsteady"]).optional(),
  }),
  outcome: z.enum(["pass", "fail", "withdrawn"]),
  failures: z.array(failure),
  /** Why it ended before its time; null when it did not. */
  stopped: z.string().nullable(),
  /** One second or so each, for a plot. */
  points: z.array(
    z.strictObject({
      atSeconds: amount,
      offeredPerSecond: amount,
      completedPerSecond: amount,
      /** Jobs in flight; null where that is not looked at. */
      backlog: amount.nullable(),
    }),
  ),
});

/**
 * The universal scalability law, X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)), and where
 * X is highest; null where it never falls. Source: Gunther, "Guerrilla Capacity Planning", 2007.
 */
const scalability = z.strictObject({
  gamma: amount,
  sigma: amount,
  kappa: amount,
  peak: z.strictObject({ inFlight: amount, perSecond: amount }).nullable(),
  /** Largest share by which a point lies off the curve. */
  worstResidual: amount,
  points: z.array(z.strictObject({ inFlight: amount, perSecond: amount })),
});

const estimate = z.strictObject({
  perSecond: amount,
  low: amount,
  high: amount,
  /** Of the interval from low to high. */
  confidence: amount,
  method: z.string(),
});

export const capacitySchema = z.strictObject({
  schemaVersion: z.literal(CAPACITY_SCHEMA_VERSION),
  of: z.enum(CAPACITY_SUBJECTS),
  /** By k6 at set rates, or by autocannon as fast as connections go. */
  mode: z.enum(["paced", "unpaced"]),
  /**
   * `found`: the edge lies in the interval. `at-least`: everything tried was kept, up to a bound.
   * `below`: not even the lowest rate was kept. `none`: nothing can be said.
   */
  outcome: z.enum(["found", "at-least", "below", "none"]),
  summary: z.string(),
  exitCode: z.literal([0, 99, 105, 111]),
  interrupted: z.boolean(),
  seed: z.number(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  tool: z.strictObject({
    plumbline: z.string(),
    k6: z.string().nullable(),
    autocannon: z.string().nullable(),
    node: z.string(),
  }),
  target: targetSchema.extend({ variant: z.enum(["A", "B"]).nullable() }),
  /** Worker whose jobs, or endpoint whose requests, were counted. */
  subject: z.strictObject({
    worker: z.string().nullable(),
    endpoint: z.string().nullable(),
    keys: z.array(z.string()).describe("Names of keys in the target file, never their values."),
  }),
  objectives: z.array(z.string()),
  limits: z.strictObject({
    maxRatePerSecond: amount,
    /** What the keys' plans have room for; null where they are not declared. */
    planRatePerSecond: amount.nullable(),
    beyondPlan: z.boolean(),
    timeSeconds: amount,
    budget: amountsSchema.nullable(),
  }),
  estimate: estimate.nullable(),
  bottleneck: failure.nullable(),
  /** Why the search ended without an edge. */
  bound: z.enum(["max-rate", "plan", "budget", "time", "generator"]).nullable(),
  /** null: there is no fit, for the reason that is told beside it. */
  scalability: scalability.nullable(),
  scalabilityMissing: z.string().nullable(),
  steps: z.array(step),
  spent: z.strictObject({ jobs: amount, credits: amount, usd: amount }),
  notes: z.array(z.string()),
});

export type CapacityResult = z.infer<typeof capacitySchema>;
export type CapacityOutcome = CapacityResult["outcome"];
export type CapacityStep = z.infer<typeof step>;
export type CapacityEstimate = z.infer<typeof estimate>;
export type CapacityBound = NonNullable<CapacityResult["bound"]>;
export type ScalabilityFit = z.infer<typeof scalability>;
export type Failure = z.infer<typeof failure>;
