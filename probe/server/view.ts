/** What the status page and /api/canaries show. Times are milliseconds since the epoch. */

import type { State } from "../../contract/states.ts";
import type { Outcome } from "../outcome.ts";

/** Ours: as many bars as fit a page, and some hours of a canary a minute tell no more. */
export const RUNS_SHOWN = 40;

/** Ours: what happened once is news for this long. */
export const NOTICE_MS = 10 * 60_000;

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
  /** Of the trace that its requests carried; left out where they carried none. */
  traceId?: string;
  /** Where the service shows it. */
  traceUrl?: string;
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

/** What is wrong, whoever sees it. */
export interface Problem {
  cause: string;
  /** What is wrong, without a full stop. */
  title: string;
  canaries: readonly string[];
  sinceMs: number;
  lastAtMs: number;
  times: number;
  /** What was seen, newest first; each text once. */
  details: readonly string[];
  /** Promises that the same runs, or the same check, broke: each with what was seen. */
  broken: readonly string[];
  /** Jobs that show it, newest first. */
  jobIds: readonly string[];
  /** Name of a page in docs/runbooks, which the probe serves below /runbooks/. */
  runbook: string;
  /** All of it in one sentence. */
  summary: string;
}

/** A 429 forbids requests for now. */
export interface Pause {
  untilMs: number;
  /** The wait that it asked for, which may be longer; null where it named none. */
  askedMs: number | null;
}

export interface StatusView {
  nowMs: number;
  startedAtMs: number;
  location: string;
  baseUrl: string;
  /** Where webhooks are to come; null: none are requested. */
  receiverUrl: string | null;
  version: string;
  links: { runbook: string | null; dashboard: string | null };
  /** null: requests may be sent. */
  pause: Pause | null;
  canaries: readonly CanaryView[];
  /** What is wrong now, grouped by cause. */
  problems: readonly Problem[];
  /** What was wrong within the last ten minutes: later runs went well. */
  over: readonly Problem[];
  /** What is not known yet, a sentence each: as long as there is any, nothing is all right. */
  unknown: readonly string[];
}
