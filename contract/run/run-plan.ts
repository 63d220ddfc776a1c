/**
 * The plan of a run: all that a scenario knows of the target. `plumbline plan` and the gate write
 * it, scenarios read it (`PLUMBLINE_PLAN`, a file). It names keys by environment variable and
 * never holds one. All of the target file that a scenario needs is here, defaults filled in.
 */

import type { ReceiverAccess, ReceiverReach } from "../jobs/delivery.ts";
import type { EarlierJobs } from "../jobs/earlier-jobs.ts";
import type { PlanName } from "../plans.ts";
import type { PromiseId } from "../promises.ts";
import type { EndState } from "../states.ts";
import type { Json } from "../verdict.ts";
import type { CapacityOrder } from "./capacity-step.ts";

export const RUN_PLAN_SCHEMA_VERSION = 2;

/** Parts that a worker can play. `success` and `slow` complete; the others as they are named. */
export const PARTS = ["success", "slow", "timeout", "failure", "list", "empty", "files"] as const;
export type Part = (typeof PARTS)[number];

/** How the jobs of each part end. Spec §3.1; the parts are the target file's. */
export const ENDS_BY_PART: Readonly<Record<Part, EndState>> = {
  success: "completed",
  slow: "completed",
  timeout: "timeout",
  failure: "failed",
  list: "completed",
  empty: "completed",
  files: "completed",
};

export interface WorkerPart {
  id: string;
  input: { readonly [field: string]: Json };
  /** A free text field of the input that may carry a run's mark. */
  marker?: string;
  /** The schema of that field lets characters beyond ASCII through: its mark may have its tail. */
  markTail?: true;
  /** And long texts: some marks have much behind them. */
  markLong?: true;
}

export type KeyState = "active" | "revoked" | "exhausted";

export interface PlanKey {
  name: string;
  /** Environment variable that holds the key's value. */
  env: string;
  state: KeyState;
  /** null when the plan is not declared: then nothing about its limits is judged. */
  plan: PlanName | null;
  sustained: number | null;
  burst: number | null;
  /** Keys with the same text belong to one account; null when not declared. */
  account: string | null;
  /**
   * Environment variable of what its jobs' webhooks are signed with, where keys name their own.
   * Left out: any secret of the target may be its own.
   */
  webhookSecretEnv?: string | undefined;
}

export type CancelMethod = "DELETE" | "POST" | "PATCH" | "PUT";

/** `auto` explores the method on queued jobs of the suite's own; null: cancelling is not judged. */
export type CancelPlan =
  | { method: CancelMethod; body: Json }
  | { method: "auto"; body: null }
  | null;

/** Bounds outside which a quantity is broken, beside times as they are stated. */
export interface Tolerances {
  webhookWaitEarlyMs: number;
  webhookWaitLateMs: number;
  webhookWaitLateShare: number;
  timeoutEarlyMs: number;
  timeoutLateMs: number;
  timeoutLateShare: number;
  sustainedShare: number;
  burstMissing: number;
  burstExcess: number;
  retryAfterExcessMs: number;
  /** In which every job has to end; null: none is promised. */
  endWithinMs: number | null;
}

/** Defaults of promises.md. */
export const DEFAULT_TOLERANCES: Tolerances = {
  webhookWaitEarlyMs: 500,
  webhookWaitLateMs: 2_000,
  webhookWaitLateShare: 0.1,
  timeoutEarlyMs: 250,
  timeoutLateMs: 2_000,
  timeoutLateShare: 0.1,
  sustainedShare: 0.05,
  burstMissing: 0,
  burstExcess: 1,
  retryAfterExcessMs: 10_000,
  endWithinMs: null,
};

/** A wait of the target, and between which bounds it keeps its promise. Ms. */
export interface WaitBounds {
  promisedMs: number;
  earliestMs: number;
  latestMs: number;
}

/** What the target promises in times, with what is tolerated; in its own milliseconds. */
export interface PromisedTimes {
  /** What a second takes that the service states, as in `timeout_seconds`. */
  secondMs: number;
  /** Before each redelivery. Spec §6. */
  webhookWaits: readonly [WaitBounds, WaitBounds, WaitBounds];
  /** A webhook's receiver has this long to answer. Spec §6. */
  webhookAnswerMs: number;
  /** By how much the limit of a run may be missed; the share is of the limit. */
  limitTolerance: { earlyMs: number; lateMs: number; lateShare: number };
}

/** A ceiling over the whole run; null is no ceiling for that quantity. */
export interface Budget {
  jobs: number | null;
  credits: number | null;
  usd: number | null;
}

/** Which key does what in this run, by key name. */
export interface KeyRoles {
  /** Submits the jobs whose webhooks are watched. */
  webhook: string | null;
  /** Submits the jobs that run into their worker's limit. */
  timeout: string | null;
  /** Carry the soak; several share its rate by their plans. */
  loaded: readonly string[];
  /** Calls the API as a careful client would. */
  caller: string | null;
  /** An active key of another declared account than the caller's. */
  stranger: string | null;
  revoked: string | null;
  exhausted: string | null;
  /** Keys whose limits are measured; nobody else uses them while that goes on. */
  limited: readonly string[];
  /** One of the limited keys: submits jobs beyond its limit. */
  overLimit: string | null;
}

/** Of a run in which no key does anything. */
export const NO_ROLES: KeyRoles = {
  webhook: null,
  timeout: null,
  loaded: [],
  caller: null,
  stranger: null,
  revoked: null,
  exhausted: null,
  limited: [],
  overLimit: null,
};

/** What a soak is made of: the parts of the target file, and queued jobs that are cancelled. */
export type LoadPart = Part | "cancel";

/** An objective of the operator; null: not judged. */
export interface LoadObjectives {
  /** Completed jobs per second as a share of the offered ones. */
  throughputShare: number | null;
  submitP99Ms: number | null;
  queueWaitP99Ms: number | null;
  /** Failed requests as a share of all. */
  errorShare: number | null;
  /** By which share latency and backlog of the last third may exceed those of the first. */
  driftShare: number | null;
}

/** k6 has its own metrics and HTTP/2; Node offers several times as much with the same machine. */
export const LOAD_GENERATORS = ["k6", "node"] as const;
export type LoadGenerator = (typeof LOAD_GENERATORS)[number];

export interface LoadPlan {
  jobsPerSecond: number;
  durationMs: number;
  /** Names of active keys that share it by their plans; null: one is chosen. */
  keys: readonly string[] | null;
  /** The rate is offered even where the keys' plans have no room for it. */
  beyondPlan: boolean;
  /** Virtual users that share it, each with its part; left out: one, or what the gate chooses. */
  shards?: number;
  /** What sends it; left out: k6. */
  generator?: LoadGenerator;
  /** Weights; none: all parts that there are, mostly short jobs. */
  mix: Readonly<Partial<Record<LoadPart, number>>>;
  objectives: LoadObjectives;
}

/**
 * Ours: how much longer a patient run of a scenario may take. Charges that are booked once a minute
 * are waited for before a load, after it, and beside each of two jobs that tell their unit.
 */
export const PATIENCE_MS = 300_000;

export interface RunPlan {
  schemaVersion: typeof RUN_PLAN_SCHEMA_VERSION;
  baseUrl: string;
  times: PromisedTimes;
  seed: number;
  profile: "quick" | "standard" | "soak";
  /** Promises asked for; a scenario judges those of them that are its own. */
  promises: readonly PromiseId[];
  keys: readonly PlanKey[];
  roles: KeyRoles;
  workers: Readonly<Partial<Record<Part, WorkerPart>>>;
  /** `key`: one of the account that owns the worker; null: any account may. */
  publish: { worker: string; key: string | null } | null;
  cancel: CancelPlan;
  tolerances: Tolerances;
  /** Where webhooks are received; null when no address is configured or it can't be reached. */
  receiver: ReceiverAccess | null;
  /** Why there is no receiver, in a sentence; null when there is one. */
  receiverMissing: string | null;
  /** What was known of it before the run; where nothing arrives, it tells whose fault that is. */
  receiverReach: ReceiverReach;
  load: LoadPlan | null;
  /** One step of a capacity search; absent in all other runs. */
  capacity?: CapacityOrder;
  /** What this scenario may spend. */
  budget: Budget;
  /** Requests carry a trace of their own each (contract/requests/trace.ts); left out: none does. */
  trace?: true;
  /** Earlier runs that submitted, in their order: their jobs may be charged only now. */
  submittedBefore?: readonly EarlierJobs[];
  /** What an earlier run left in doubt is asked again, and there is time for `PATIENCE_MS` more. */
  isPatient?: true;
  /** Who reads the run judges it; left out: the scenario judges what it observes by itself. */
  isJudgedByReader?: true;
}
