/** What the status page and /api/canaries show. Times are milliseconds since the epoch. */

import type { State } from "../../contract/states.ts";
import type { Outcome } from "../outcome.ts";

export interface RunView {
  runId: string;
  jobId: string | null;
  outcome: Outcome;
  why: string;
  submittedAtMs: number;
  durationMs: number;
  stays: readonly { state: State; ms: number }[];
  /** Promises that were seen broken, a sentence each. */
  violations: readonly string[];
  /** null: none was asked for, or it is still waited for. */
  webhook: "arrived" | "missing" | null;
}

export interface CanaryView {
  name: string;
  workerId: string;
  everyMs: number;
  deadlineMs: number;
  expected: string;
  nextDueMs: number | null;
  inFlight: number;
  oldestSubmittedAtMs: number | null;
  lastSuccessAtMs: number | null;
  /** Newest last. */
  runs: readonly RunView[];
}

export interface StatusView {
  nowMs: number;
  startedAtMs: number;
  location: string;
  baseUrl: string;
  version: string;
  links: { runbook: string | null; dashboard: string | null };
  canaries: readonly CanaryView[];
  /** What is wrong now, a sentence each. */
  troubles: readonly string[];
  /** What is not known yet, a sentence each: as long as there is any, nothing is all right. */
  unknown: readonly string[];
}
