/** What the steps of the contract scenario observe: a value a step, each whole by itself. */

import type { JobHistory } from "../jobs/job-history.ts";
import type { PlanName, RateLimit } from "../plans.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { TimedSubmission } from "./asynchronous/index.ts";
import type { CancelTrial } from "./cancel/cancel-trial.ts";
import type { StatusCase } from "./expected-status.ts";
import type { OwnJob } from "./job/lists/list-limit.ts";
import type { AskedList } from "./job/lists/refused-list.ts";
import type { RejectedInput } from "./rejected-runs-nothing.ts";
import type { Categorised, CategoryQuery, TextQuery } from "./worker-filters.ts";

/** Requests with keys that nobody may use; `endpoints` are the other ones than the account's. */
export interface AuthSeen {
  missing: readonly StatusCase[];
  invalid: readonly StatusCase[];
  invalidEndpoints: readonly StatusCase[];
  revoked: readonly StatusCase[];
  revokedEndpoints: readonly StatusCase[];
  /** Each endpoint without a key. */
  everywhere: readonly StatusCase[];
  /** Every answer 401, whichever step met it. */
  unauthorized: readonly Exchange[];
}

export interface WorkersSeen {
  /** Of the list without a filter, in the order in which they were asked for. */
  pages: readonly StatusCase[];
  categories: readonly CategoryQuery[];
  texts: readonly TextQuery[];
  details: readonly StatusCase[];
  unknown: readonly StatusCase[];
  /** What the list told before and after the filtered ones. */
  steady: readonly Categorised[];
}

/** What is to be answered after a load as it was before; by each key that carried it. */
export interface AnswersAfter extends WrongBodies, Pick<AuthSeen, "everywhere"> {
  withoutKey: readonly StatusCase[];
  /** With an unknown key and with a revoked one, each endpoint again, the account's first. */
  unknownKey: readonly StatusCase[];
  revokedKey: readonly StatusCase[];
  unknownJobs: readonly StatusCase[];
  unknownWorkers: readonly StatusCase[];
  workerLists: readonly StatusCase[];
  /** By the first key: the list of one category, and that of a text; left out: not asked for. */
  categories?: readonly CategoryQuery[];
  texts?: readonly TextQuery[];
  workerDetails: readonly StatusCase[];
}

/** More requests with one key than it may send, all at once, under load or after it. */
export interface OverloadSeen {
  key: string;
  plan: PlanName;
  limit: RateLimit;
  /** Its account has no credits: the submissions are valid, and those of other keys are not. */
  isPoor: boolean;
  /** Submissions before the reads, the reads, and submissions after them. */
  within: readonly Exchange[];
  shots: readonly Exchange[];
  beyond: readonly Exchange[];
}

export interface PublishSeen {
  own: StatusCase;
  unknown: StatusCase;
  /** Keys of accounts that may own the worker and were not asked, as their limit is measured. */
  unasked?: readonly string[];
}

/** Submissions that are wrong, by the promise that speaks of each. */
export interface WrongBodies {
  malformed: readonly StatusCase[];
  missingField: readonly StatusCase[];
  violation: readonly StatusCase[];
}

export interface RefusalsSeen extends WrongBodies {
  /** Submissions of an account without credits, to workers that take credits before a run. */
  poor: readonly StatusCase[];
  /** Whether no worker of the plan takes credits before a run. */
  isFree: boolean;
  traces: Pick<RejectedInput, "volleys" | "quiet" | "calibration">;
}

export interface AsynchronousSeen {
  fast: readonly TimedSubmission[];
  slow: readonly TimedSubmission[];
  without: string;
}

export interface ListLimitSeen extends AskedList {
  /** As it was before the jobs came that are to fill it; left out: nobody asked. */
  before?: Exchange;
  own: readonly OwnJob[];
  without: string;
}

/** The list of a key that carried a load, and jobs of that load. */
export interface ListAfter extends AskedList {
  key: string;
  /** The latest that were submitted with the key. */
  own: readonly OwnJob[];
  /** The submission of one of them that the list leaves out; null for none. */
  leftOut: Exchange | null;
  /** Identifiers of jobs of other accounts. */
  foreignIds: readonly string[];
}

export interface CancelSeen {
  queued: readonly CancelTrial[];
  running: readonly CancelTrial[];
  terminal: readonly CancelTrial[];
  /** True where nobody said which request cancels, and none of those tried did. */
  methodUnknown: boolean;
  /** Whether the budget had no room for more jobs, or none was taken any more. */
  exhausted: boolean;
  /** In a sentence; left out: it was the budget. */
  whyExhausted?: string;
  /** Whether the run's time was over before the trials were; left out: it was not. */
  isOutOfTime?: boolean;
  /** Cancels of an ended job with keys that nobody was given, and with a revoked one. */
  unknownKeys?: readonly StatusCase[];
  revokedKey?: readonly StatusCase[];
  /** Those of a job that waited, with a key that nobody was given; left out: there was none. */
  ofWaiting?: readonly StatusCase[];
}

/** A job that was submitted and, mostly, followed. */
export type JobSeen = JobHistory & { part: string | null };
