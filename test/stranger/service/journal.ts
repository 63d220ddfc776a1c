/** Jobs as journals of what happened to them: a view is the fold of all events up to a time. */

import type { Run } from "./output.ts";

export type Phase =
  | "queued"
  | "starting"
  | "running"
  | "succeeded"
  | "failed"
  | "timedOut"
  | "cancelled";

export interface JobError {
  code: string;
  message: string | null;
}

interface Change {
  phase?: Phase;
  run?: Run | null;
  error?: JobError | null;
  /** Charged, in millionths of a credit. */
  micros?: number;
  startedMs?: number | null;
  finishedMs?: number | null;
}

interface JobEvent extends Change {
  atMs: number;
}

export interface Job {
  id: string;
  worker: string;
  account: string;
  input: Readonly<Record<string, unknown>>;
  webhook: string | null;
  /** Uniform in [0, 1), drawn once. */
  luck: number;
  /** How far its views lag behind. */
  lagMs: number;
  submittedMs: number;
  sequence: number;
  events: JobEvent[];
}

export interface JobState {
  phase: Phase;
  startedMs: number | null;
  finishedMs: number | null;
  run: Run | null;
  error: JobError | null;
  micros: number | null;
}

export function record(job: Job, atMs: number, change: Change): void {
  job.events.push({ atMs, ...change });
}

export function stateAt(job: Job, untilMs: number): JobState {
  const state: JobState = {
    phase: "queued",
    startedMs: null,
    finishedMs: null,
    run: null,
    error: null,
    micros: null,
  };
  for (const { atMs, ...change } of job.events) {
    if (atMs > untilMs) break;
    Object.assign(state, change);
    if (change.phase !== undefined && isTerminal(change.phase)) state.finishedMs ??= atMs;
  }
  return state;
}

export function isTerminal(phase: Phase): boolean {
  return phase !== "queued" && phase !== "starting" && phase !== "running";
}
