/**
 * A target as the rest of the suite sees it: what the target file says, checked and with defaults
 * filled in. The command line makes it out of a file; the embedded service makes its own.
 */

import type { SignatureScheme } from "./jobs/delivery.ts";
import type { Budget, Part, RunPlan } from "./run/run-plan.ts";
import type { EndState } from "./states.ts";

/** What reports tell of a target. */
export interface TargetHead {
  baseUrl: string;
  /** Share of the stated times that pass; below 1 only on test services. See promised-times.ts. */
  timeScale: number;
  /** True for the service that the suite itself started. */
  embedded: boolean;
}

export function targetHead({ baseUrl, timeScale, embedded }: Target): TargetHead {
  return { baseUrl, timeScale, embedded };
}

/** What plans of runs take over as it stands. */
type Planned = Pick<RunPlan, "keys" | "workers" | "publish" | "cancel" | "load" | "tolerances">;

export interface Target extends TargetHead, Planned {
  /** null: webhooks are not judged. */
  webhook: WebhookTarget | null;
  /** The ceiling over a whole run; null where the target file sets none. */
  budget: Budget | null;
  /** Jobs that the probe submits day and night; absent: its own defaults for the parts given. */
  canaries?: readonly CanaryPlan[];
  /** Objectives by the name of the service level that they are about. */
  slo?: readonly Objective[];
  /**
   * Requests carry traces; `url`: where the service shows them, with `{traceId}` in it. Null or
   * absent: none were asked for.
   */
  trace?: { url: string | null } | null;
  /** How the probe behaves beside its canaries; absent: its defaults. */
  probe?: ProbePlan;
}

/** One recurring job of the probe. A null is filled in by the probe's defaults. */
export interface CanaryPlan {
  name: string;
  part: Part;
  everyMs: number;
  /** Share of the interval by which a start may come later. */
  jitterShare: number | null;
  deadlineMs: number | null;
  webhook: boolean;
  /** null: the end that the part stands for. */
  expect: EndState | null;
  /** Runs of it that may be under way at once. */
  overlapMax: number | null;
}

export interface Objective {
  name: string;
  /** Per cent of the events that are to be good. */
  objective: number;
}

export interface ProbePlan {
  /** Hard ceilings; null: none for that span. Days and months are those of UTC. */
  budget: { day: Budget | null; month: Budget | null };
  /** Requests to follow one job; null: the probe's default. */
  requestsPerJob: number | null;
  /** Share of the key's sustained rate that the probe may use; null: its default. */
  rateShare: number | null;
  /** Name of the key; null: the active one with the highest declared rate. */
  key: string | null;
  links: { runbook: string | null; dashboard: string | null };
  /** Histograms of its metrics keep the form of the release before; absent: they do not. */
  legacyMetrics?: boolean;
}

/** The suite's own receiver: where it listens, and how the service reaches it. */
export interface WebhookTarget {
  listen: { host: string; port: number };
  /** null: the listening address itself. */
  publicUrl: string | null;
  /**
   * `secretEnvs` names the environment variables of the signing secrets, the target's own and those
   * of its keys, each once; empty: only presence counts.
   */
  signature: { header: string; scheme: SignatureScheme; secretEnvs: readonly string[] };
}
