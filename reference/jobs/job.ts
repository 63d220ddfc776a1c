/** A job as the embedded service keeps it. */

import { isTerminal, type State } from "../../contract/states.ts";
import type { Account } from "../accounts/account.ts";
import type { Priority } from "../catalogue/validation.ts";
import type { FileDraft, JobError, JsonObject, Performance, Worker } from "../catalogue/worker.ts";

export interface StoredFile extends FileDraft {
  id: string;
  /** Path and query of the presigned address. */
  address: string;
}

/** What the job says that it cost. */
export interface Cost {
  runMicroUsd: number;
  infraMicroUsd: number;
}

/** All that a submission decides. */
export interface JobOrder {
  worker: Worker;
  account: Account;
  /** Name of the key that submitted it. */
  keyName: string;
  input: JsonObject;
  priority: Priority;
  webhook: string | null;
}

export interface Job extends Readonly<JobOrder> {
  readonly id: string;
  readonly submittedAtMs: number;
  /** Real duration that the run would have without a limit. */
  runMs: number;
  state: State;
  startedAtMs: number | null;
  /** When its work was done, where that is not its end. */
  ranUntilMs: number | null;
  finishedAtMs: number | null;
  /** When its state became terminal; what is stored first had finished before. */
  endedAtMs: number | null;
  performance: Performance | null;
  files: readonly StoredFile[];
  error: JobError | null;
  cost: Cost;
  heldMicroUsd: number;
  /** It will end as cancelled in a while, and must not begin to run. */
  cancelDue: boolean;
  webhookFired: boolean;
  holdsSlot: boolean;
}

export function isDone(job: Job): boolean {
  return isTerminal(job.state);
}

export const FREE_OF_CHARGE: Cost = { runMicroUsd: 0, infraMicroUsd: 0 };

export function totalMicroUsd(cost: Cost): number {
  return cost.runMicroUsd + cost.infraMicroUsd;
}
