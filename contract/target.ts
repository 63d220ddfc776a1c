/**
 * A target as the rest of the suite sees it: what the target file says, checked and with defaults
 * filled in. The command line makes it out of a file; the embedded service makes its own.
 */

import type { SignatureScheme } from "./delivery.ts";
import type {
  Budget,
  CancelPlan,
  LoadPlan,
  Part,
  PlanKey,
  Tolerances,
  WorkerPart,
} from "./run-plan.ts";

export interface Target {
  baseUrl: string;
  timeScale: number;
  /** True for the service that the suite itself started. */
  embedded: boolean;
  keys: readonly PlanKey[];
  workers: Readonly<Partial<Record<Part, WorkerPart>>>;
  publish: { worker: string } | null;
  cancel: CancelPlan;
  /** null: webhooks are not judged. */
  webhook: WebhookTarget | null;
  load: LoadPlan | null;
  tolerances: Tolerances;
  /** The ceiling over a whole run; null where the target file sets none. */
  budget: Budget | null;
}

/** The suite's own receiver: where it listens, and how the service reaches it. */
export interface WebhookTarget {
  listen: { host: string; port: number };
  /** null: the listening address itself. */
  publicUrl: string | null;
  /**
   * `secretEnv` names the environment variable of the signing secret; null: only presence counts.
   */
  signature: { header: string; scheme: SignatureScheme; secretEnv: string | null };
}

/** Values of keys by the environment variable that carries them. Never written to any file. */
export type Secrets = ReadonlyMap<string, string>;
