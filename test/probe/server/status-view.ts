/** A view of a probe with one canary that is well, and whatever a test changes. */

import type { CanaryView, Problem, RunView, StatusView } from "../../../probe/server/view.ts";

export function runView(changes: Partial<RunView> = {}): RunView {
  return {
    runId: "run-1",
    jobId: "job_1",
    outcome: "success",
    why: "the job completed",
    submittedAtMs: 1_700_000_000_000,
    durationMs: 1_500,
    stays: [
      { state: "queued", ms: 500 },
      { state: "running", ms: 1_000 },
    ],
    violations: [],
    webhook: null,
    ...changes,
  };
}

export function canaryView(changes: Partial<CanaryView> = {}): CanaryView {
  return {
    name: "main",
    workerId: "echo",
    everyMs: 30_000,
    deadlineMs: 60_000,
    expected: "completed",
    nextDueMs: 1_700_000_030_000,
    inFlight: 0,
    oldestSubmittedAtMs: null,
    lastSuccessAtMs: 1_700_000_001_500,
    runs: [runView()],
    ...changes,
  };
}

export function problemView(changes: Partial<Problem> = {}): Problem {
  return {
    cause: "outcome.deadline",
    title: "Jobs do not end within their deadline",
    canaries: ["main"],
    sinceMs: 1_699_999_700_000,
    lastAtMs: 1_700_000_005_000,
    times: 3,
    details: ["no end within 60 s"],
    broken: [],
    jobIds: ["job_1"],
    runbook: "PlumblineCanaryFailing",
    summary: "Jobs do not end within their deadline (main); for 5 min",
    ...changes,
  };
}

export function statusView(changes: Partial<StatusView> = {}): StatusView {
  return {
    nowMs: 1_700_000_010_000,
    startedAtMs: 1_699_999_000_000,
    location: "test",
    baseUrl: "https://api.example.com",
    receiverUrl: null,
    version: "0.0.0",
    pause: null,
    links: { runbook: null, dashboard: null },
    canaries: [canaryView()],
    problems: [],
    over: [],
    unknown: [],
    ...changes,
  };
}
