/** Canaries, runs and boards, for tests of what the status page is told. */

import type { Canary } from "../../../probe/canary/canary.ts";
import type { ProbeEvent, RunFacts } from "../../../probe/events.ts";
import { StatusBoard } from "../../../probe/server/status-board.ts";

type SettledEvent = Extract<ProbeEvent, { type: "run-settled" }>;

export const START_MS = 1_700_000_000_000;

function canaryOf(name: string, everyMs = 60_000): Canary {
  const worker = { part: "success", workerId: "echo", input: {}, marker: null } as const;
  const times = { everyMs, jitterShare: 0, deadlineMs: 60_000 };
  return { name, ...worker, ...times, webhook: false, expected: "completed", overlapMax: 3 };
}

export function boardOf(
  startedAtMs: number,
  nowMs: () => number,
  trace: { url: string } | null = null,
): StatusBoard {
  const facts = { startedAtMs, location: "here", baseUrl: "http://service", version: "0" };
  return new StatusBoard(facts, nowMs, trace);
}

/** Shows these canaries from now on. */
export function show(board: StatusBoard, names: readonly string[], everyMs?: number): void {
  const canaries = names.map((name) => canaryOf(name, everyMs));
  board.show(canaries, { runbook: null, dashboard: null });
}

export function runOf(canary: string, at: number): RunFacts {
  return { runId: `${canary}-${at}`, canary, workerId: "echo", jobId: `job_${at}` };
}

/** A run that ended with success at that time, unless told otherwise. */
export function settledEvent(
  run: RunFacts,
  settledAtMs: number,
  changes: Partial<SettledEvent["settled"]> = {},
): SettledEvent {
  const ended = { outcome: "success", why: "the job completed", end: "completed" } as const;
  const times = { submittedAtMs: settledAtMs, settledAtMs, duration: null, timed: true };
  const rest = { seen: [], stays: [], traced: false, cost: { credits: 0, usd: 0 } };
  return { type: "run-settled", run, settled: { ...ended, ...times, ...rest, ...changes } };
}
