/** One step of a capacity search between Node and k6: the order that it gets, and its figures. */

import type { GeneratorHealth, HostLag } from "../judges/load/generator.ts";
import { rounded } from "../numbers/figures.ts";
import type { Histogram } from "../numbers/histogram.ts";
import { quantileOf } from "../numbers/histogram.ts";
import type { Variant } from "../states.ts";

export const CAPACITY_SUBJECTS = ["jobs", "requests"] as const;
export type CapacitySubject = (typeof CAPACITY_SUBJECTS)[number];

/** Endpoints that read, and need nothing but a key. Spec §4. */
export const CAPACITY_ENDPOINTS = ["me", "credits", "deployments", "workers", "jobs"] as const;
export type CapacityEndpoint = (typeof CAPACITY_ENDPOINTS)[number];

/** The order of one step, as k6 gets it in its plan. Its first third only warms the service up. */
export interface CapacityOrder {
  of: CapacitySubject;
  ratePerSecond: number;
  durationMs: number;
  /** Longest wait for jobs after the last submission. */
  drainMsMax: number;
  /** Read endpoint that `requests` are sent to. */
  endpoint: CapacityEndpoint;
  /** Requests go on through 429s, and the keys' bursts are spent first. */
  beyondPlan: boolean;
  /** The step ends early once that share of its requests and jobs has failed. */
  harmShare: number;
  /** It ends early once half of all answers, or jobs, take longer; null: they may. */
  latencyCeilingMs: number | null;
  /** It ends early once more jobs are in flight; null: they may. */
  backlogMax: number | null;
}

/** Milliseconds; by nearest rank. */
export interface TimeQuantiles {
  count: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

/** What came after the warm-up. */
interface Measured {
  sent: number;
  /** Of these: answered 429, or not submitted while their key waited as a 429 had asked. */
  refused429: number;
  /** The 429 responses behind that; left out: one each. */
  answered429?: number;
}

/** Jobs in flight, where they may tell what refuses others, or whose they are. */
interface Crowding {
  /** Submissions answered 429 or 5xx, and other requests answered 429. */
  refused: number;
  otherRefused: number;
  /** So many were in flight when these were refused, and fewer when others were not; or null. */
  jobsAtOnce: number | null;
  /** Whose these were; left out: all of them counted together. */
  atOnceOf?: "account" | "key";
  /** When no more was offered, by key with its share of the rate, and how many it was refused. */
  openByKey: readonly { key: string; perSecond: number; open: number; refused?: number }[];
}

/** What k6 measured in one step. */
export interface StepMeasurement {
  startedAtMs: number;
  /** Of the step as it was, which may have ended early. */
  seconds: number;
  warmUpSeconds: number;
  measured: Measured;
  /** Of the whole step. */
  sent: number;
  errors: number;
  /** Those that no busy machine explains: jobs that ended failed, and other 4xx than 429. */
  serviceErrors: number;
  /** The kinds of errors that there were, in words. */
  errorKinds: readonly string[];
  latencyMs: TimeQuantiles | null;
  submitMs: TimeQuantiles | null;
  queueWaitMs: TimeQuantiles | null;
  runMs: TimeQuantiles | null;
  /** Requests answered well a second; null for jobs, where the series tells. */
  answeredPerSecond: number | null;
  /** Counts of each interval of `stretchSeconds` since the step began; empty for requests. */
  stretchSeconds: number;
  series: readonly { offered: number; accepted: number; ended: number; completed: number }[];
  generator: GeneratorHealth;
  hostLag: HostLag;
  /** How much later than jobs ended that was known: webhooks and polls take their time. */
  newsLagP95Ms: number;
  /** Jobs of which no end was seen. */
  leftOpen: number;
  /** Left out of requests. */
  crowding?: Crowding;
  stopped: string | null;
  /** Its last submissions in a row, where key or credits no longer served; null: they did. */
  untaken: string | null;
  variant: Variant | null;
}

/** Group of the measurement in the evidence. */
export const CAPACITY_MEASUREMENT = "capacity";

export function quantilesOf(histogram: Histogram): TimeQuantiles | null {
  if (histogram.count === 0) return null;
  const at = (q: number) => Math.round((quantileOf(histogram, q) ?? 0) * 10) / 10;
  return {
    count: histogram.count,
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: rounded(histogram.max, 1),
  };
}
