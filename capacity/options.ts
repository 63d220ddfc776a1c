/** What a capacity search is given, and what it tells while it goes on. */

import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import type { CapacityEndpoint, CapacitySubject } from "../contract/run/capacity-step.ts";
import type { Budget, PlanKey, WorkerPart } from "../contract/run/run-plan.ts";
import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import type { CapacityStep } from "../report/capacity-model.ts";
import type { RemoteWrite } from "../runner/remote-write.ts";

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

export interface CapacityOptions {
  of: CapacitySubject;
  target: Target;
  secrets: Secrets;
  /** Worker that the jobs go to; null where requests are counted. */
  worker: WorkerPart | null;
  endpoint: CapacityEndpoint;
  /** Keys that carry the load. */
  keys: readonly PlanKey[];
  objectives: readonly CapacityObjective[];
  startRate: number;
  maxRate: number;
  /** Goes on beyond what the keys' plans have room for, and through 429s. */
  beyondPlan: boolean;
  /** Length of a step that counts; the search for the range takes shorter ones. */
  stepMs: number;
  timeMs: number;
  /** Pause after a step in which this machine was too busy, so that it may calm down. */
  calmMs: number;
  budget: Budget | null;
  seed: number;
  /** Where webhooks arrive, or why nowhere. */
  receiver: { access: ReceiverAccess | null; missing: string | null };
  k6: { path: string; version: string };
  /** Absolute path of scenarios/capacity.ts, or of capacity-requests.ts. */
  script: string;
  /** k6's own outputs go to its folder `k6`. */
  outputDir: string;
  /** Where k6's metrics are sent as well. */
  remoteWrite: RemoteWrite | null;
  signal: AbortSignal;
  onEvent: (event: CapacityEvent) => void;
}

export type CapacityEvent =
  | { type: "step-started"; phase: CapacityStep["phase"]; what: string; seconds: number }
  | { type: "step-ended"; step: CapacityStep }
  | { type: "too-little"; text: string };
