/** One `Job` for both variants of the job object, and what can be wrong with one. Spec §2.5. */

import type { State, Variant } from "../states.ts";
import type { Timestamp } from "../time/timestamps.ts";
import type { JsonObject, Problem } from "./decoded.ts";

/** Promises that one job object alone can contradict. */
export type JobAspect =
  | "job.shape"
  | "job.result-present"
  | "job.error-only-on-failure"
  | "job.timestamps"
  | "job.duration"
  | "job.files"
  | "job.cost";

/** A problem and the one promise that it speaks against. */
export interface JobProblem extends Problem {
  promise: JobAspect;
  /** Set where a value is missing that may be told some time after the end. */
  isUnsettled?: true;
}

/** What a job cost; a part is null where the variant or this job has none. */
export interface JobCost {
  credits: number | null;
  totalUsd: number | null;
  runUsd: number | null;
  infraUsd: number | null;
  billingMode: string | null;
}

export interface FileEntry {
  id: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  url: string;
}

export interface JobError {
  code: string;
  message: string;
}

/** A job of either variant. Members that are absent, empty or unreadable are null. */
export interface Job {
  variant: Variant;
  /** `job_uuid` (A) or `job_id` (B). */
  id: string | null;
  workerId: string | null;
  statusText: string | null;
  /** null for a status text that the specification does not know. */
  state: State | null;
  cost: JobCost;
  durationMs: number | null;
  createdAt: Timestamp | null;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  /** What the worker produced: `result` (A), `output.data` or `output.items` (B). */
  result: unknown;
  /** The whole `output` of variant B. */
  output: JsonObject | null;
  files: readonly FileEntry[] | null;
  error: JobError | null;
  raw: JsonObject;
}

/** What the readers of a job's parts are handed. */
export interface JobReader {
  raw: JsonObject;
  variant: Variant;
  state: State | null;
  complain: (
    promise: JobAspect,
    path: string,
    expected: string,
    got: unknown,
    settling?: Pick<JobProblem, "isUnsettled">,
  ) => void;
}
